#include "request/snippets.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/text.h"
#include "snippet_texts.h" /* generated: the snippets that are built in */

enum { SNIPPET_MAX = 512 << 10, SNIPPETS_MAX = 10000, DESCRIPTION_MAX = 300 };
enum { BUILT_IN = sizeof built_in / sizeof *built_in };

/* Whether this can be the file name of a snippet: no path, and the extension of a language. */
static bool is_name(const struct config *config, const char *name)
{
    return name[0] != '.' && name[0] != '\0' && !strchr(name, '/') && strlen(name) <= 255 &&
           text_is_utf8(name) && config_language_of_file(config, name);
}

/* The snippet in this file that is built in; NULL: none, or the configuration replaces them. */
static const struct snippet *find_built_in(const struct config *config, const char *name)
{
    for (size_t i = 0; !config->prompts_dir && i < BUILT_IN; i++)
        if (strcmp(built_in[i].name, name) == 0 && is_name(config, name))
            return &built_in[i];
    return NULL;
}

int snippets_check(const struct config *config, struct error *error)
{
    CLEANUP_FREE char *shown = NULL;

    if (!config->prompts_dir || access(config->prompts_dir, R_OK | X_OK) == 0)
        return 0;
    shown = text_escape(config->prompts_dir);
    return error_set_errno(error, ERROR_INPUT, "cannot read the snippets, promptsDir '%s'", shown);
}

static int open_directory(const struct config *config)
{
    if (!config->prompts_dir)
        return -1; /* the snippets are built in */
    return open(config->prompts_dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

/* Returns a descriptor of the snippet, and its size; -1 if there is none in that file. */
static int open_snippet(int directory, const char *name, off_t *size)
{
    CLEANUP_FD int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        return -1;
    *size = status.st_size;
    return steal_fd(&fd);
}

void snippets_list(const struct config *config, struct strvec *files)
{
    const int fd = open_directory(config);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    struct stat status;

    for (size_t i = 0; i < BUILT_IN; i++)
        if (find_built_in(config, built_in[i].name))
            strvec_push(files, built_in[i].name);
    if (!dir) {
        if (fd >= 0)
            close(fd);
        return;
    }
    while (files->count < SNIPPETS_MAX && (entry = readdir(dir)))
        if (is_name(config, entry->d_name) &&
            fstatat(fd, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(status.st_mode))
            strvec_push(files, entry->d_name);
    closedir(dir);
    strvec_sort(files);
}

/* Returns the base name of a file, owned. */
static char *base_name(const char *file)
{
    const char *dot = strrchr(file, '.');

    return string_format("%.*s", (int)(dot ? (size_t)(dot - file) : strlen(file)), file);
}

/* Returns how often a name occurs in a sorted list. */
static size_t count_name(const struct strvec *sorted, const char *name)
{
    size_t first = 0, end = sorted->count, count = 0;

    while (first < end) {
        const size_t middle = first + (end - first) / 2;

        if (strcmp(sorted->items[middle], name) < 0)
            first = middle + 1;
        else
            end = middle;
    }
    while (first + count < sorted->count && strcmp(sorted->items[first + count], name) == 0)
        count++;
    return count;
}

void snippets_shortest_names(const struct strvec *files, struct strvec *names)
{
    CLEANUP(strvec_release) struct strvec bases = STRVEC_INIT;

    for (size_t i = 0; i < files->count; i++)
        strvec_push_owned(&bases, base_name(files->items[i]));
    strvec_sort(&bases);
    for (size_t i = 0; i < files->count; i++) {
        CLEANUP_FREE char *base = base_name(files->items[i]);
        const bool unique = count_name(&bases, base) == 1 && count_name(files, base) == 0;

        strvec_push(names, unique ? base : files->items[i]);
    }
}

static int unknown_snippet(const struct config *config, const char *name, struct error *error)
{
    CLEANUP(strvec_release) struct strvec files = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    CLEANUP_FREE char *shown = text_escape_short(name, 255);
    CLEANUP_FREE char *known = NULL;
    CLEANUP_FREE char *some = NULL;

    snippets_list(config, &files);
    snippets_shortest_names(&files, &names);
    known = strvec_join(&names, ", ");
    some = text_escape_short(known, 1000);
    return error_set(error, ERROR_USAGE, "there is no snippet '%s'; %s%s", shown,
                     names.count > 0 ? "known are: " : "there are none", some);
}

/* Adds the file names of the snippets that have this base name, sorted. */
static void find_by_base_name(const struct config *config, const char *name, struct strvec *files)
{
    CLEANUP(strvec_release) struct strvec all = STRVEC_INIT;

    snippets_list(config, &all);
    for (size_t i = 0; i < all.count; i++) {
        CLEANUP_FREE char *base = base_name(all.items[i]);

        if (strcmp(base, name) == 0)
            strvec_push(files, all.items[i]);
    }
}

/* Whether there is a snippet of exactly this file name. */
static bool is_snippet(const struct config *config, const char *name)
{
    CLEANUP_FD int directory = is_name(config, name) ? open_directory(config) : -1;
    CLEANUP_FD int fd = -1;
    off_t size;

    if (directory >= 0)
        fd = open_snippet(directory, name, &size);
    return fd >= 0 || find_built_in(config, name);
}

char *snippet_find(const struct config *config, const char *name, struct error *error)
{
    CLEANUP(strvec_release) struct strvec files = STRVEC_INIT;
    CLEANUP_FREE char *shown = text_escape_short(name, 255);
    CLEANUP_FREE char *several = NULL;
    CLEANUP_FREE char *some = NULL;

    if (is_snippet(config, name))
        return string_copy(name);
    find_by_base_name(config, name, &files);
    if (files.count == 1)
        return string_copy(files.items[0]);
    if (files.count == 0) {
        unknown_snippet(config, name, error);
        return NULL;
    }
    several = strvec_join(&files, ", ");
    some = text_escape_short(several, 1000);
    error_set(error, ERROR_USAGE, "there are several snippets '%s'; give one of: %s", shown, some);
    return NULL;
}

char *snippet_read(const struct config *config, const char *file, size_t *length,
                   struct error *error)
{
    CLEANUP_FD int directory = is_name(config, file) ? open_directory(config) : -1;
    CLEANUP_FD int fd = -1;
    const struct snippet *own = find_built_in(config, file);
    off_t size = 0;
    char *data;

    if (own) {
        *length = strlen(own->text);
        return string_copy(own->text);
    }
    if (directory >= 0)
        fd = open_snippet(directory, file, &size);
    if (fd < 0) {
        unknown_snippet(config, file, error);
        return NULL;
    }
    data = size > SNIPPET_MAX ? NULL : io_read_start(fd, (size_t)size, length);
    if (!data) {
        const int reason = errno;
        CLEANUP_FREE char *shown = text_escape_short(file, 255);

        errno = reason;
        if (size > SNIPPET_MAX)
            error_set(error, ERROR_INPUT, "the snippet '%s' is larger than %d KiB", shown,
                      SNIPPET_MAX >> 10);
        else
            error_set_errno(error, ERROR_INPUT, "cannot read the snippet '%s'", shown);
    }
    return data;
}

char *snippet_description(const struct config *config, const char *file)
{
    CLEANUP_FD int directory = open_directory(config);
    CLEANUP_FD int fd = -1;
    const struct snippet *own = find_built_in(config, file);
    CLEANUP_FREE char *start = NULL;
    off_t size;
    size_t length;
    const char *text;

    if (directory >= 0)
        fd = open_snippet(directory, file, &size);
    if (own)
        start = string_format("%.*s", DESCRIPTION_MAX, own->text);
    else if (fd >= 0)
        start = io_read_start(fd, DESCRIPTION_MAX, &length);
    if (!start)
        return NULL;
    length = strlen(start);
    if (length == DESCRIPTION_MAX) /* it may end in the middle of a character */
        start[length - utf8_cut_tail(start, length)] = '\0';
    text = start;
    if (strncmp(text, "#!", 2) == 0) { /* the comment follows the interpreter */
        text += strcspn(text, "\n");
        text += *text == '\n';
    }
    if (text[0] != '#' && strncmp(text, "//", 2) != 0)
        return NULL;
    text += strspn(text, "#/ \t");
    start[(size_t)(text - start) + strcspn(text, "\r\n")] = '\0';
    return *text ? text_escape(text) : NULL;
}

const char *snippet_mime_type(const char *file)
{
    static const struct {
        const char *extension, *type;
    } types[] = {
        {".py", "text/x-python"},      {".js", "text/javascript"},    {".mjs", "text/javascript"},
        {".cjs", "text/javascript"},   {".ts", "text/typescript"},    {".go", "text/x-go"},
        {".sh", "text/x-shellscript"}, {".rb", "text/x-ruby"},        {".c", "text/x-c"},
        {".rs", "text/x-rust"},        {".java", "text/x-java"},      {".pl", "text/x-perl"},
        {".php", "text/x-php"},        {".json", "application/json"},
    };
    const char *dot = strrchr(file, '.');

    for (size_t i = 0; dot && i < sizeof types / sizeof *types; i++)
        if (strcmp(types[i].extension, dot) == 0)
            return types[i].type;
    return "text/plain";
}

#include "cli/problem/submissions.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/natural_order.h"
#include "base/text.h"
#include "base/yaml_text.h"
#include "cli/grade/program_directory.h"
#include "cli/problem/included_files.h"
#include "cli/run_inputs.h"

/* What the first directories are; all others follow. */
static const char *const first_directories[] = {
    "accepted",       "partially_accepted", "wrong_answer", "time_limit_exceeded",
    "run_time_error", "rejected",           "brute_force"};

enum { FIRST_DIRECTORIES = sizeof first_directories / sizeof *first_directories };

struct reading {
    struct submissions *submissions;
    struct run_options *options;
    const struct config *config;
    struct submission_rules rules;
    const struct test_root *package;
    const char *root;  /* the directory of the submissions */
    const char *shown; /* the same for messages */
    struct error *error;
};

/* ---- directories */

static int rank_of(const char *directory)
{
    int rank = 0;

    while (rank < FIRST_DIRECTORIES && strcmp(first_directories[rank], directory) != 0)
        rank++;
    return rank;
}

static int compare_names(const void *one, const void *other)
{
    const char *const a = *(char *const *)one, *const b = *(char *const *)other;

    return rank_of(a) != rank_of(b) ? rank_of(a) - rank_of(b) : natural_order(a, b);
}

/* Adds the names in an open directory, in their order, but not those that begin with a dot. */
static int list_names(int fd, const char *shown, struct strvec *names, struct error *error)
{
    DIR *dir = fdopendir(fd);
    const struct dirent *entry;
    int reason;

    if (!dir)
        return error_set_errno(error, ERROR_INPUT, "cannot read the directory '%s'", shown);
    while (names->count <= SUBMISSIONS_MAX && (errno = 0, (entry = readdir(dir)) != NULL))
        if (entry->d_name[0] != '.')
            strvec_push(names, entry->d_name);
    reason = errno;
    closedir(dir);
    if (names->count > SUBMISSIONS_MAX)
        return error_set(error, ERROR_INPUT, "'%s' has more than %d files", shown, SUBMISSIONS_MAX);
    if ((errno = reason) != 0)
        return error_set_errno(error, ERROR_INPUT, "cannot read the directory '%s'", shown);
    if (names->count > 0)
        qsort(names->items, names->count, sizeof *names->items, compare_names);
    return 0;
}

/* The kind of a file, of which links are none; 0: neither a regular file nor a directory. */
static mode_t kind_of(const char *path)
{
    struct stat status;

    if (lstat(path, &status) != 0 || (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)))
        return 0;
    return status.st_mode & S_IFMT;
}

/* ---- submissions */

/* The program of a submission, whose name says what it is; owned; NULL: none, or several. */
static char *program_of(const struct reading *reading, const char *path)
{
    return run_inputs_is_directory(path)
               ? program_directory_any(path, reading->options->request.language, reading->config)
               : string_copy(path);
}

/* The language of a submission by the options or the package; NULL: its file says it. */
static const char *wanted_language(const struct reading *reading, const char *name,
                                   const char *program)
{
    const char *language = reading->options->request.language;

    return language || !name ? language : submission_rules_language(&reading->rules, name, program);
}

/* The language of a file or directory that can be read; NULL: none, or several. */
static const struct language *language_of(const struct reading *reading, const char *path,
                                          const char *program)
{
    const struct language *language =
        program ? config_language_of_file(reading->config, program) : NULL;

    return language || run_inputs_is_directory(path) ? language
                                                     : run_inputs_language(path, reading->config);
}

/* The file of a directory that an entry point is: its name, or that of a class in it; owned. */
static char *find_entrypoint(const char *directory, const char *entrypoint,
                             const struct language *language)
{
    CLEANUP_FREE char *path = string_format("%s/%s", directory, entrypoint);

    if (strchr(entrypoint, '/'))
        return NULL;
    if (kind_of(path) == S_IFREG)
        return string_copy(entrypoint);
    for (size_t i = 0; i < language->extensions.count; i++) {
        CLEANUP_FREE char *file = string_format("%s%s", path, language->extensions.items[i]);

        if (kind_of(file) == S_IFREG)
            return string_copy(text_file_name(file));
    }
    return NULL;
}

/* Sets the file that is run: that of the rules, or one of the package. */
static void set_entrypoint(const struct reading *reading, struct submission *submission,
                           const char *name)
{
    const bool is_directory = run_inputs_is_directory(submission->path);
    const char *entrypoint =
        is_directory && name ? submission_rules_text(&reading->rules, name, "entrypoint") : NULL;

    if (entrypoint)
        submission->entrypoint =
            find_entrypoint(submission->path, entrypoint, submission->language);
    if (submission->entrypoint)
        return;
    if (entrypoint) {
        CLEANUP_FREE char *shown = text_escape_short(entrypoint, TEXT_SHOWN_MAX);
        CLEANUP_FREE char *escaped = text_escape_short(name, TEXT_SHOWN_MAX);

        strvec_pushf(&reading->options->test_warnings,
                     "'%s': ignored the entrypoint '%s', which is not a file of '%s'",
                     reading->shown, shown, escaped);
    }
    submission->included_main =
        included_files_main(reading->options->problem, submission->language, reading->config);
    if (is_directory && submission->included_main)
        submission->entrypoint =
            program_directory_any(submission->path, submission->language->name, reading->config);
}

/*
 * Sets how the submission is run. Also if it cannot be read, which is the error of its test. `name`
 * is NULL if it is not one of the package.
 */
static void set_program(const struct reading *reading, struct submission *submission,
                        const char *name)
{
    const char *path = submission->path;
    const bool is_directory = run_inputs_is_directory(path);
    CLEANUP_FREE char *program = program_of(reading, path);
    const char *wanted = wanted_language(reading, name, program);

    submission->language = wanted ? config_language_called(reading->config, wanted)
                                  : language_of(reading, path, program);
    if (wanted && !submission->language && !reading->options->request.language) {
        submission->lacking = text_escape_short(wanted, TEXT_SHOWN_MAX);
        return;
    }
    submission->has_language =
        submission->language || (!is_directory && access(path, R_OK) != 0) ||
        (is_directory && !program_directory_has_none(path, NULL, reading->config));
    if (submission->language)
        set_entrypoint(reading, submission, name);
}

/* Takes ownership of the path. With `of_package`, the name is one below submissions/. */
static int add(struct reading *reading, char *path, const char *name, bool of_package)
{
    struct submissions *submissions = reading->submissions;
    struct submission *added;

    if (submissions->count == SUBMISSIONS_MAX) {
        free(path);
        return error_set(reading->error, ERROR_INPUT, "there are more than %d submissions",
                         SUBMISSIONS_MAX);
    }
    submissions->items =
        memory_resize(submissions->items, (submissions->count + 1) * sizeof *submissions->items);
    added = &submissions->items[submissions->count++];
    *added = (struct submission){.path = path, .name = string_copy(name)};
    set_program(reading, added, of_package ? name : NULL);
    if (!of_package)
        return 0;
    expectation_find(&added->expectation, &reading->rules, name);
    added->role = time_limit_role(&added->expectation, reading->rules.is_legacy, name);
    return 0;
}

static int add_directory(struct reading *reading, const char *directory)
{
    CLEANUP_FREE char *path = string_format("%s/%s", reading->root, directory);
    CLEANUP_FREE char *shown = text_escape(path);
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    int fd;

    if (kind_of(path) != S_IFDIR)
        return 0;
    fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return error_set_errno(reading->error, ERROR_INPUT, "cannot open the directory '%s'",
                               shown);
    if (list_names(fd, shown, &names, reading->error) != 0)
        return -1;
    for (size_t i = 0; i < names.count; i++) {
        CLEANUP_FREE char *file = string_format("%s/%s", path, names.items[i]);
        CLEANUP_FREE char *name = string_format("%s/%s", directory, names.items[i]);
        CLEANUP_FREE char *escaped = text_escape_short(name, TEXT_SHOWN_MAX);

        if (kind_of(file) == 0)
            strvec_pushf(&reading->options->test_warnings,
                         "'%s': ignored '%s', which is not a regular file", reading->shown,
                         escaped);
        else if (add(reading, steal_pointer(&file), name, true) != 0)
            return -1;
    }
    return 0;
}

static int add_all(struct reading *reading)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    const int fd = open(reading->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return error_set_errno(reading->error, ERROR_INPUT, "cannot open the directory '%s'",
                               reading->shown);
    if (list_names(fd, reading->shown, &names, reading->error) != 0)
        return -1;
    for (size_t i = 0; i < names.count; i++)
        if (add_directory(reading, names.items[i]) != 0)
            return -1;
    return reading->submissions->count > 0
               ? 0
               : error_set(reading->error, ERROR_INPUT, "'%s' has no submissions", reading->shown);
}

/* Fails if a file of the caller is a link in the package that leads out of it. */
static int check_file(const struct reading *reading, const char *file)
{
    const int package = reading->package->package;
    size_t length = strlen(file);
    CLEANUP_FREE char *parent = NULL, *shown = NULL;

    while (length > 0 && file[length - 1] == '/')
        length--;
    while (length > 0 && file[length - 1] != '/')
        length--;
    parent = string_format("%.*s.", (int)length, file);
    if (linux_leads_below(AT_FDCWD, parent, package) != 1 ||
        linux_leads_below(AT_FDCWD, file, package) != 0)
        return 0;
    shown = text_escape(file);
    return error_set(reading->error, ERROR_INPUT, "'%s' is a link that leads out of the package",
                     shown);
}

/* Adds a file of the caller; below submissions/ something is expected of it. */
static int add_file(struct reading *reading, const char *file)
{
    CLEANUP_FREE char *root = realpath(reading->root, NULL);
    CLEANUP_FREE char *path = realpath(file, NULL);
    const size_t length = root ? strlen(root) : 0;
    const bool is_below = root && path && strncmp(path, root, length) == 0 && path[length] == '/';

    return check_file(reading, file) != 0
               ? -1
               : add(reading, string_copy(file), is_below ? path + length + 1 : file,
                     is_below && strchr(path + length + 1, '/'));
}

/* ---- submissions.yaml */

/* A new reference; NULL if there is no such file, or with the error. */
static json_t *read_rules(const struct reading *reading)
{
    static const char name[] = "submissions/submissions.yaml";
    CLEANUP_FREE char *shown = case_file_shown(reading->package, name);
    CLEANUP(strbuf_release) struct strbuf content = STRBUF_INIT;
    json_t *document;

    if (faccessat(reading->package->fd, name, F_OK, 0) != 0 ||
        case_file_read(reading->package, name, YAML_TEXT_MAX, &content, reading->error) != 0)
        return NULL;
    document = yaml_text_parse(strbuf_string(&content), content.length, reading->error);
    if (!document)
        error_prefix(reading->error, "'%s'", shown);
    return document;
}

static int check_rules(struct reading *reading)
{
    CLEANUP(strvec_release) struct strvec ignored = STRVEC_INIT;
    CLEANUP_FREE char *list = NULL;

    if (submission_rules_check(&reading->rules, &ignored, reading->error) != 0)
        return error_prefix(reading->error, "'%s/submissions.yaml'", reading->shown);
    list = strvec_join(&ignored, ", ");
    if (ignored.count > 0)
        strvec_pushf(&reading->options->test_warnings, "'%s/submissions.yaml': ignored: %s",
                     reading->shown, list);
    return 0;
}

/* Checks that one submission at least can be tested: else nothing would differ. */
static int check_languages(const struct reading *reading)
{
    const struct submissions *submissions = reading->submissions;
    CLEANUP_FREE char *shown = text_escape(submissions->items[0].path);

    for (size_t i = 0; i < submissions->count; i++)
        if (submissions->items[i].has_language)
            return 0;
    return error_set(reading->error, ERROR_INPUT,
                     "no submission can be tested, since the configuration has the language of "
                     "none, such as '%s'; give --language, or add the language to the "
                     "configuration",
                     shown);
}

static int read_all(struct reading *reading)
{
    const struct strvec *files = &reading->options->files;

    if (check_rules(reading) != 0)
        return -1;
    for (size_t i = 0; i < files->count; i++)
        if (add_file(reading, files->items[i]) != 0)
            return -1;
    return files->count > 0 || add_all(reading) == 0 ? check_languages(reading) : -1;
}

int submissions_read(struct submissions *submissions, const struct test_root *package,
                     bool is_legacy, struct run_options *options, const struct config *config,
                     struct error *error)
{
    CLEANUP_FREE char *root = string_format("%s/submissions", options->problem);
    CLEANUP_FREE char *shown = text_escape(root);
    struct reading reading = {.submissions = submissions,
                              .options = options,
                              .package = package,
                              .config = config,
                              .rules = {NULL, is_legacy},
                              .root = root,
                              .shown = shown,
                              .error = error};
    json_t *document = read_rules(&reading);
    int result = -1;

    reading.rules.document = document;
    if (error->kind == ERROR_NONE)
        result = read_all(&reading);
    json_decref(document);
    return result;
}

void submissions_release(struct submissions *submissions)
{
    for (size_t i = 0; i < submissions->count; i++) {
        free(submissions->items[i].path);
        free(submissions->items[i].name);
        free(submissions->items[i].lacking);
        free(submissions->items[i].entrypoint);
        free(submissions->items[i].included_main);
        expectation_release(&submissions->items[i].expectation);
    }
    free(submissions->items);
    *submissions = (struct submissions){NULL, 0};
}

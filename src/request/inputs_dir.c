#include "request/inputs_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/mime.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "config/input_files.h"

/* Entries of directories that a list looks at, whatever they are. */
enum { ENTRIES_MAX = 100000 };

/* Bytes of the names in a message. */
enum { NAMES_BYTES_MAX = 1000 };

/* The type of a file is determined from so many bytes. */
enum { TYPE_BYTES = 4096 };

enum { DIRECTORY = O_RDONLY | O_DIRECTORY | O_CLOEXEC };

/* -1 with errno. */
static int open_root(const struct config *config)
{
    errno = ENOENT;
    return config->inputs_dir ? open(config->inputs_dir, DIRECTORY) : -1;
}

int inputs_dir_check(const struct config *config, struct error *error)
{
    CLEANUP_FD int root = open_root(config);
    const int reason = errno;
    CLEANUP_FREE char *shown = text_escape(config->inputs_dir);

    errno = reason;
    return root >= 0 ? 0
                     : error_set_errno(error, ERROR_INPUT,
                                       "cannot read the files of inputsDir '%s'", shown);
}

/* ---- the list */

struct walk {
    struct strvec *paths;
    struct strbuf path; /* of the current directory, with a slash at its end; "" for the root */
    int depth;
    long entries;
};

static void walk_directory(struct walk *walk, int fd);

static void walk_entry(struct walk *walk, int parent, const char *name)
{
    const size_t length = walk->path.length;
    struct stat status;

    if (name[0] == '.' || !text_is_utf8(name) ||
        fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        length + strlen(name) >= INPUT_FILES_PATH_MAX)
        return;
    strbuf_addstr(&walk->path, name);
    if (S_ISREG(status.st_mode)) {
        strvec_push(walk->paths, strbuf_string(&walk->path));
    } else if (S_ISDIR(status.st_mode) && walk->depth < INPUTS_DEPTH_MAX) {
        strbuf_addch(&walk->path, '/');
        walk->depth++;
        walk_directory(walk, openat(parent, name, DIRECTORY | O_NOFOLLOW));
        walk->depth--;
    }
    walk->path.length = length;
    walk->path.data[length] = '\0';
}

/* Takes over the descriptor, which may be -1. */
static void walk_directory(struct walk *walk, int fd)
{
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;

    if (!dir) {
        if (fd >= 0)
            close(fd);
        return;
    }
    while (walk->paths->count < INPUTS_MAX && walk->entries++ < ENTRIES_MAX &&
           (entry = readdir(dir)))
        walk_entry(walk, dirfd(dir), entry->d_name);
    closedir(dir);
}

void inputs_dir_list(const struct config *config, struct strvec *paths)
{
    struct walk walk = {.paths = paths, .path = STRBUF_INIT};

    walk_directory(&walk, open_root(config));
    strbuf_release(&walk.path);
    strvec_sort(paths);
}

/* ---- one file */

/* Whether the path could be in the list. */
static bool is_path(const char *path)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    int depth = 0;

    if (!text_is_utf8(path) || input_files_check_path(path, &error) != 0)
        return false;
    for (const char *part = path; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (*part == '.' || depth++ > INPUTS_DEPTH_MAX)
            return false;
    }
    return true;
}

/* Opens whatever it is, without following a link. -1 with errno. */
static int open_entry(const char *root, const char *path)
{
    CLEANUP_FD int directory = open(root, DIRECTORY);
    const char *slash;

    for (; directory >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
        CLEANUP_FREE char *part = string_format("%.*s", (int)(slash - path), path);
        CLEANUP_FD const int above = directory;

        directory = openat(above, part, DIRECTORY | O_NOFOLLOW);
    }
    if (directory < 0)
        return -1;
    return openat(directory, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
}

int inputs_dir_open_below(const char *directory, const char *path)
{
    CLEANUP_FD int fd = -1;
    struct stat status;

    errno = ENOENT;
    fd = is_path(path) ? open_entry(directory, path) : -1;
    if (fd < 0 || fstat(fd, &status) != 0)
        return -1;
    if (S_ISREG(status.st_mode))
        return steal_fd(&fd);
    errno = ENOENT;
    return -1;
}

/* Sets the error: there is no such file. It lists some that there are. */
static int refuse_path(const struct config *config, const char *path, struct error *error)
{
    CLEANUP(strvec_release) struct strvec paths = STRVEC_INIT;
    CLEANUP_FREE char *shown = text_escape_short(path, TEXT_SHOWN_MAX);
    CLEANUP_FREE char *joined = NULL;
    CLEANUP_FREE char *known = NULL;

    inputs_dir_list(config, &paths);
    joined = strvec_join(&paths, ", ");
    known = text_escape_short(joined, NAMES_BYTES_MAX);
    return error_set(error, ERROR_INPUT, "there is no input file '%s'; %s%s", shown,
                     paths.count > 0 ? "known are: " : "there are none", known);
}

int inputs_dir_open(const struct config *config, const char *path, struct file_range *range,
                    struct error *error)
{
    CLEANUP_FREE char *shown = text_escape_short(path, TEXT_SHOWN_MAX);
    CLEANUP_FD int fd = -1;
    struct stat status;

    if (!config->inputs_dir)
        return error_set(error, ERROR_INPUT,
                         "there are no input files: the configuration has no inputsDir");
    fd = inputs_dir_open_below(config->inputs_dir, path);
    if (fd < 0 && (errno == EACCES || errno == EMFILE || errno == ENFILE || errno == EIO))
        return error_set_errno(error, ERROR_INPUT, "cannot open the input file '%s'", shown);
    if (fd < 0 || fstat(fd, &status) != 0)
        return refuse_path(config, path, error);
    *range = (struct file_range){shared_file_new(steal_fd(&fd)), 0, (long long)status.st_size};
    return 0;
}

const char *inputs_dir_mime_type(const char *path, const struct file_range *range)
{
    char start[TYPE_BYTES];
    const size_t length = range->length < TYPE_BYTES ? (size_t)range->length : TYPE_BYTES;

    if (shared_file_read(range->file, range->offset, start, length) != 0)
        return "application/octet-stream";
    return mime_type(path, start, length - utf8_cut_tail(start, length));
}

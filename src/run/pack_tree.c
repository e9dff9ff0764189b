#include "run/pack_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/constants.h"
#include "base/io.h"
#include "base/linux.h"
#include "base/text.h"
#include "config/input_files.h"
#include "container/owned_container.h"

/* Each level of the walk needs a descriptor. Source code is not nested as deeply as this. */
enum { DEPTH_MAX = 128 };

/* The largest file in which constants are replaced. */
enum { REPLACED_MAX = 16 << 20 };

/* How many omitted links are named; the warnings count the others. */
enum { MAX_OMITTED_NAMED = 20 };

void pack_tree_release(struct pack_tree *tree)
{
    strbuf_release(&tree->path);
    strbuf_release(&tree->largest.path);
    ignore_file_release(&tree->ignored);
}

static int refuse(struct pack_tree *tree, const char *why)
{
    CLEANUP_FREE char *shown = text_escape(strbuf_string(&tree->path));

    return error_set(tree->error, ERROR_INPUT, "'%s' %s", shown, why);
}

/* `what`: "path" or "link". */
static int refuse_length(struct pack_tree *tree, const char *what)
{
    CLEANUP_FREE char *why =
        string_format("is a %s longer than %d bytes", what, INPUT_FILES_PATH_MAX);

    return refuse(tree, why);
}

static int refuse_depth(struct pack_tree *tree)
{
    CLEANUP_FREE char *why = string_format("is nested deeper than %d directories", DEPTH_MAX);

    return refuse(tree, why);
}

static int refuse_errno(struct pack_tree *tree, const char *what)
{
    const int reason = errno;
    CLEANUP_FREE char *shown = text_escape(strbuf_string(&tree->path));

    errno = reason;
    return error_set_errno(tree->error, ERROR_INPUT, "cannot %s '%s'", what, shown);
}

static time_t time_of(const struct pack_tree *tree, const struct stat *status)
{
    return tree->modified ? *tree->modified : status->st_mtime;
}

int pack_tree_replace(const struct pack_tree *tree, int fd)
{
    CLEANUP(strbuf_release) struct strbuf replaced = STRBUF_INIT;
    CLEANUP_FREE char *text = NULL;
    size_t length;

    if (!tree->constants || tree->constants->count == 0)
        return -1;
    text = io_read_start(fd, REPLACED_MAX + 1, &length);
    if (!text || lseek(fd, 0, SEEK_SET) != 0 || length > REPLACED_MAX ||
        !constants_replace(tree->constants, text, length, &replaced))
        return -1;
    return linux_unnamed_file_of(replaced.data, replaced.length);
}

static int add_open_file(struct pack_tree *tree, int original, const struct stat *status)
{
    CLEANUP_FD const int replaced = pack_tree_replace(tree, original);
    const int fd = replaced >= 0 ? replaced : original;
    struct stat size;
    const char *path = strbuf_string(&tree->path);

    if (tree->wanted && strcmp(path, tree->wanted) == 0)
        tree->wanted_found = true;
    if (fstat(fd, &size) != 0)
        return refuse_errno(tree, "read");
    if (!pack_tree_has_room(tree, path, size.st_size))
        return 0;
    return archive_add_file(tree->archive, path, fd, size.st_size, (status->st_mode & 0111) != 0,
                            time_of(tree, status), tree->error);
}

static int add_file(struct pack_tree *tree, int parent, const char *name)
{
    CLEANUP_FD int fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) != 0)
        return refuse_errno(tree, "open");
    if (!S_ISREG(status.st_mode))
        return refuse(tree, "changed while it was read");
    return add_open_file(tree, fd, &status);
}

/*
 * Whether the target of a link, relative to the directory of the link, is inside the root
 * directory. Only the names are compared; no link is followed.
 */
static bool stays_inside(const char *link_path, const char *target)
{
    long level = 0;

    if (target[0] == '/')
        return false;
    for (const char *slash = link_path; (slash = strchr(slash, '/')); slash++)
        level++;
    while (*target) {
        const size_t length = strcspn(target, "/");

        if (length == 2 && strncmp(target, "..", 2) == 0)
            level--;
        else if (length > 0 && !(length == 1 && target[0] == '.'))
            level++;
        if (level < 0)
            return false;
        target += length + (target[length] == '/');
    }
    return true;
}

/* Adds a warning for the link, unless there were MAX_OMITTED_NAMED before. */
static void warn_omitted(struct pack_tree *tree, const char *target)
{
    if (tree->omitted++ < MAX_OMITTED_NAMED) {
        CLEANUP_FREE char *shown = text_escape(strbuf_string(&tree->path));
        CLEANUP_FREE char *shown_target = text_escape(target);

        strvec_pushf(tree->warnings,
                     "omitted the link '%s': its target '%s' is outside the directory", shown,
                     shown_target);
    }
}

/* Adds the file that a link leads to, if that is allowed. */
static int add_target(struct pack_tree *tree, int parent, const char *name, const char *target)
{
    CLEANUP_FD const int above =
        tree->links_below ? open(tree->links_below, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    CLEANUP_FD const int fd = above >= 0 ? linux_open_below(parent, name, above) : -1;
    struct stat status;

    if (fd >= 0 && fstat(fd, &status) == 0)
        return add_open_file(tree, fd, &status);
    warn_omitted(tree, target);
    return 0;
}

static int add_link(struct pack_tree *tree, int parent, const char *name)
{
    char target[INPUT_FILES_PATH_MAX + 1];
    const ssize_t length = readlinkat(parent, name, target, sizeof target);

    if (length < 0)
        return refuse_errno(tree, "read the link");
    if (length == sizeof target)
        return refuse_length(tree, "link");
    target[length] = '\0';
    if (!stays_inside(strbuf_string(&tree->path), target))
        return add_target(tree, parent, name, target);
    return archive_add_symlink(tree->archive, strbuf_string(&tree->path), target, tree->error);
}

/* Lists the names in a directory, sorted, so that equal directories give equal archives. */
static int list_names(struct pack_tree *tree, int fd, struct strvec *names)
{
    CLEANUP_FD int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    struct dirent *entry;
    int result = 0;

    if (!dir)
        return refuse_errno(tree, "read the directory");
    steal_fd(&copy); /* closedir() closes it */
    while (errno = 0, (entry = readdir(dir))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (tree->entries + (long)names->count >= PACK_TREE_ENTRIES_MAX) {
            result = error_set(tree->error, ERROR_INPUT, "the directory has more than %d entries",
                               PACK_TREE_ENTRIES_MAX);
            break;
        }
        strvec_push(names, entry->d_name);
    }
    if (result == 0 && errno != 0)
        result = refuse_errno(tree, "read the directory");
    closedir(dir);
    strvec_sort(names);
    return result;
}

static int add_entry(struct pack_tree *tree, int parent, const char *name);

static int add_names(struct pack_tree *tree, int fd)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;

    if (list_names(tree, fd, &names) != 0)
        return -1;
    tree->entries += (long)names.count;
    for (size_t i = 0; i < names.count; i++)
        if (add_entry(tree, fd, names.items[i]) != 0)
            return -1;
    return 0;
}

static int add_directory(struct pack_tree *tree, int parent, const char *name,
                         const struct stat *status)
{
    CLEANUP_FD int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int result;

    if (fd < 0)
        return refuse_errno(tree, "open the directory");
    if (tree->depth >= DEPTH_MAX)
        return refuse_depth(tree);
    if (archive_add_directory(tree->archive, strbuf_string(&tree->path), time_of(tree, status),
                              tree->error) != 0)
        return -1;
    tree->depth++;
    result = add_names(tree, fd);
    tree->depth--;
    return result;
}

/* By what kind of file the current entry is. */
static int add_by_kind(struct pack_tree *tree, int parent, const char *name,
                       const struct stat *status)
{
    if (S_ISREG(status->st_mode))
        return add_file(tree, parent, name);
    if (S_ISDIR(status->st_mode))
        return add_directory(tree, parent, name, status);
    if (S_ISLNK(status->st_mode))
        return add_link(tree, parent, name);
    return refuse(tree, S_ISFIFO(status->st_mode)   ? "is a FIFO, which cannot be sent"
                        : S_ISSOCK(status->st_mode) ? "is a socket, which cannot be sent"
                                                    : "is a device, which cannot be sent");
}

/* Whether the current entry is the wanted file, or a directory that it is in. */
static bool holds_wanted(const struct pack_tree *tree)
{
    const size_t length = tree->path.length;

    return tree->wanted && strncmp(tree->wanted, tree->path.data, length) == 0 &&
           (tree->wanted[length] == '/' || tree->wanted[length] == '\0');
}

static int add_unless_ignored(struct pack_tree *tree, int parent, const char *name,
                              const struct stat *status)
{
    bool left_out;

    if (ignore_file_ask(&tree->ignored, tree->path.data, S_ISDIR(status->st_mode), &left_out,
                        tree->error) != 0)
        return -1;
    if (!left_out)
        return add_by_kind(tree, parent, name, status);
    if (holds_wanted(tree))
        tree->wanted_left_out = true;
    return 0;
}

static int add_entry(struct pack_tree *tree, int parent, const char *name)
{
    const size_t length = tree->path.length;
    struct stat status;
    int result;

    strbuf_addf(&tree->path, "%s%s", length > 0 ? "/" : "", name);
    if (tree->path.length > INPUT_FILES_PATH_MAX)
        return refuse_length(tree, "path");
    if (pack_tree_check_cancelled(tree, tree->error) != 0)
        return -1;
    if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return refuse_errno(tree, "inspect");
    result = add_unless_ignored(tree, parent, name, &status);
    tree->path.length = length;
    tree->path.data[length] = '\0';
    return result;
}

/* ---- what callers use */

int pack_tree_contents(struct pack_tree *tree, int directory, struct error *error)
{
    tree->error = error;
    tree->path.length = 0;
    ignore_file_release(&tree->ignored);
    return ignore_file_read(&tree->ignored, directory, error) == 0 ? add_names(tree, directory)
                                                                   : -1;
}

int pack_tree_named(struct pack_tree *tree, const char *path, const char *name, struct error *error)
{
    CLEANUP_FREE char *shown = text_escape(path);
    CLEANUP_FD int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    struct stat status;

    tree->error = error;
    ignore_file_release(&tree->ignored);
    if (fd < 0 || fstat(fd, &status) != 0)
        return error_set_errno(error, ERROR_INPUT, "cannot open '%s'", shown);
    if (!S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode))
        return error_set(error, ERROR_INPUT, "'%s' is neither a file nor a directory", shown);
    tree->path.length = 0;
    strbuf_addstr(&tree->path, name);
    if (S_ISREG(status.st_mode))
        return add_open_file(tree, fd, &status);
    return archive_add_directory(tree->archive, name, time_of(tree, &status), error) == 0
               ? add_names(tree, fd)
               : -1;
}

bool pack_tree_has_room(struct pack_tree *tree, const char *path, long long size)
{
    enum { PAGE = 4096 };
    const long long pages = size / PAGE + (size % PAGE != 0);

    if (size > tree->largest.bytes) {
        tree->largest.bytes = size;
        strbuf_release(&tree->largest.path);
        strbuf_addstr(&tree->largest.path, path);
    }
    /* A file system may say that a file has 2^63 bytes. */
    tree->bytes = pages > (LLONG_MAX - tree->bytes) / PAGE ? LLONG_MAX : tree->bytes + pages * PAGE;
    return tree->bytes <= tree->max_bytes;
}

int pack_tree_check_size(const struct pack_tree *tree, const char *room, struct error *error)
{
    const double MB = 1048576, UP = 0.0499; /* more than 1 MB is not 1.0 */
    const long long largest = tree->largest.bytes;
    CLEANUP_FREE char *shown = NULL, *hint = NULL;

    if (tree->bytes <= tree->max_bytes)
        return 0;
    error_set(error, ERROR_INPUT, "the files need %.1f MB, more than the %s",
              (double)tree->bytes / MB + UP, room);
    if (largest < tree->bytes / 10)
        return -1;
    shown = text_escape_short(strbuf_string(&tree->largest.path), TEXT_SHOWN_MAX);
    hint = string_format("'%s' has %.1f MB", shown, (double)largest / MB);
    return error_hint(error, hint);
}

int pack_tree_check_cancelled(const struct pack_tree *tree, struct error *error)
{
    return notifier_raised(tree->cancel) ? owned_container_set_cancelled(error) : 0;
}

void pack_tree_count_omitted(const struct pack_tree *tree)
{
    if (tree->omitted > MAX_OMITTED_NAMED)
        strvec_pushf(tree->warnings,
                     "omitted %ld more links whose targets are outside the directory",
                     tree->omitted - MAX_OMITTED_NAMED);
}

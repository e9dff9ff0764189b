#include "run/pack_input.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "config/input_files.h"
#include "run/owned_container.h"

/* Each level of the walk needs a descriptor. Source code is not nested as deeply as this. */
enum { DEPTH_MAX = 128 };

/* Each entry costs memory beside its bytes: a tar header on the host, an inode in the container. */
enum { ENTRIES_MAX = 200000 };

/* How many omitted links are named; the warnings count the others. */
enum { MAX_OMITTED_NAMED = 20 };

struct walk {
    struct archive *archive;
    struct strvec *warnings;
    struct error *error;
    const struct notifier *cancel; /* or NULL */
    const char *entrypoint;
    bool by_default; /* the entrypoint is the default of the language */
    bool entrypoint_found;
    struct strbuf path; /* of the current entry, relative to the directory */
    int depth;
    long entries;
    long omitted; /* links whose target is outside the directory */
    long long bytes, max_bytes;
    long workdir_mb;
};

static int check_cancelled(struct walk *walk)
{
    return notifier_raised(walk->cancel) ? owned_container_set_cancelled(walk->error) : 0;
}

static int refuse(struct walk *walk, const char *why)
{
    CLEANUP_FREE char *shown = text_escape(strbuf_string(&walk->path));

    return error_set(walk->error, ERROR_INPUT, "'%s' %s", shown, why);
}

/* `what`: "path" or "link". */
static int refuse_length(struct walk *walk, const char *what)
{
    CLEANUP_FREE char *why =
        string_format("is a %s longer than %d bytes", what, INPUT_FILES_PATH_MAX);

    return refuse(walk, why);
}

static int refuse_depth(struct walk *walk)
{
    CLEANUP_FREE char *why = string_format("is nested deeper than %d directories", DEPTH_MAX);

    return refuse(walk, why);
}

static int refuse_errno(struct walk *walk, const char *what)
{
    const int reason = errno;
    CLEANUP_FREE char *shown = text_escape(strbuf_string(&walk->path));

    errno = reason;
    return error_set_errno(walk->error, ERROR_INPUT, "cannot %s '%s'", what, shown);
}

/* Counts the bytes that a file needs in the workdir, a tmpfs: whole pages of 4096 bytes. */
static int count_bytes(struct walk *walk, off_t size)
{
    if (size <= walk->max_bytes)
        walk->bytes += (size + 4095) / 4096 * 4096;
    if (size > walk->max_bytes || walk->bytes > walk->max_bytes) {
        error_set(walk->error, ERROR_INPUT,
                  "the files need more than the %ld MB of the working directory; "
                  "raise " ERROR_SUBJECT,
                  walk->workdir_mb);
        return error_about(walk->error, limit_rules[LIMIT_WORKDIR].name);
    }
    return 0;
}

static int add_file(struct walk *walk, int parent, const char *name)
{
    CLEANUP_FD int fd = openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat status;

    if (fd < 0 || fstat(fd, &status) != 0)
        return refuse_errno(walk, "open");
    if (!S_ISREG(status.st_mode))
        return refuse(walk, "changed while it was read");
    if (count_bytes(walk, status.st_size) != 0)
        return -1;
    if (strcmp(strbuf_string(&walk->path), walk->entrypoint) == 0)
        walk->entrypoint_found = true;
    return archive_add_file(walk->archive, strbuf_string(&walk->path), fd, status.st_size,
                            (status.st_mode & 0111) != 0, status.st_mtime, walk->error);
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
static void warn_omitted(struct walk *walk, const char *target)
{
    if (walk->omitted++ < MAX_OMITTED_NAMED) {
        CLEANUP_FREE char *shown = text_escape(strbuf_string(&walk->path));
        CLEANUP_FREE char *shown_target = text_escape(target);

        strvec_pushf(walk->warnings,
                     "omitted the link '%s': its target '%s' is outside the directory", shown,
                     shown_target);
    }
}

static int add_link(struct walk *walk, int parent, const char *name)
{
    char target[INPUT_FILES_PATH_MAX + 1];
    const ssize_t length = readlinkat(parent, name, target, sizeof target);

    if (length < 0)
        return refuse_errno(walk, "read the link");
    if (length == sizeof target)
        return refuse_length(walk, "link");
    target[length] = '\0';
    if (!stays_inside(strbuf_string(&walk->path), target)) {
        warn_omitted(walk, target);
        return 0;
    }
    return archive_add_symlink(walk->archive, strbuf_string(&walk->path), target, walk->error);
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Lists the names in a directory, sorted, so that equal directories give equal archives. */
static int list_names(struct walk *walk, int fd, struct strvec *names)
{
    CLEANUP_FD int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    struct dirent *entry;
    int result = 0;

    if (!dir)
        return refuse_errno(walk, "read the directory");
    steal_fd(&copy); /* closedir() closes it */
    while (errno = 0, (entry = readdir(dir))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (walk->entries + (long)names->count >= ENTRIES_MAX) {
            result = error_set(walk->error, ERROR_INPUT, "the directory has more than %d entries",
                               ENTRIES_MAX);
            break;
        }
        strvec_push(names, entry->d_name);
    }
    if (result == 0 && errno != 0)
        result = refuse_errno(walk, "read the directory");
    closedir(dir);
    if (names->count > 0)
        qsort(names->items, names->count, sizeof *names->items, compare_names);
    return result;
}

static int add_entry(struct walk *walk, int parent, const char *name);

static int add_names(struct walk *walk, int fd)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;

    if (list_names(walk, fd, &names) != 0)
        return -1;
    walk->entries += (long)names.count;
    for (size_t i = 0; i < names.count; i++)
        if (add_entry(walk, fd, names.items[i]) != 0)
            return -1;
    return 0;
}

static int add_directory(struct walk *walk, int parent, const char *name, time_t modified)
{
    CLEANUP_FD int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int result;

    if (fd < 0)
        return refuse_errno(walk, "open the directory");
    if (walk->depth >= DEPTH_MAX)
        return refuse_depth(walk);
    if (archive_add_directory(walk->archive, strbuf_string(&walk->path), modified, walk->error) !=
        0)
        return -1;
    walk->depth++;
    result = add_names(walk, fd);
    walk->depth--;
    return result;
}

static int add_entry(struct walk *walk, int parent, const char *name)
{
    const size_t length = walk->path.length;
    struct stat status;
    int result;

    strbuf_addf(&walk->path, "%s%s", length > 0 ? "/" : "", name);
    if (walk->path.length > INPUT_FILES_PATH_MAX)
        return refuse_length(walk, "path");
    if (check_cancelled(walk) != 0)
        return -1;
    if (fstatat(parent, name, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return refuse_errno(walk, "inspect");
    if (S_ISREG(status.st_mode))
        result = add_file(walk, parent, name);
    else if (S_ISDIR(status.st_mode))
        result = add_directory(walk, parent, name, status.st_mtime);
    else if (S_ISLNK(status.st_mode))
        result = add_link(walk, parent, name);
    else
        result = refuse(walk, S_ISFIFO(status.st_mode)   ? "is a FIFO, which cannot be sent"
                              : S_ISSOCK(status.st_mode) ? "is a socket, which cannot be sent"
                                                         : "is a device, which cannot be sent");
    walk->path.length = length;
    walk->path.data[length] = '\0';
    return result;
}

/*
 * Sets the error: why there is no entrypoint. It may not be a link, since links are not followed.
 */
static int refuse_entrypoint(struct walk *walk, int root)
{
    CLEANUP_FREE char *shown = text_escape(walk->entrypoint);
    struct stat status;

    if (fstatat(root, walk->entrypoint, &status, AT_SYMLINK_NOFOLLOW) != 0) {
        error_set_errno(walk->error, ERROR_INPUT, "cannot find the entrypoint '%s'", shown);
        if (!walk->by_default)
            return -1;
        error_hint(walk->error,
                   "it is the language's default file; name another one with " ERROR_SUBJECT);
        return error_about(walk->error, REQUEST_ENTRYPOINT);
    }
    return error_set(walk->error, ERROR_INPUT,
                     "the entrypoint '%s' is not a regular file of the directory", shown);
}

static int add_tree(struct walk *walk, const char *directory)
{
    CLEANUP_FREE char *shown = text_escape(directory);
    CLEANUP_FD int root = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (root < 0)
        return error_set_errno(walk->error, ERROR_INPUT, "cannot open the directory '%s'", shown);
    if (add_names(walk, root) != 0)
        return -1;
    if (walk->omitted > MAX_OMITTED_NAMED)
        strvec_pushf(walk->warnings,
                     "omitted %ld more links whose targets are outside the directory",
                     walk->omitted - MAX_OMITTED_NAMED);
    return walk->entrypoint_found ? 0 : refuse_entrypoint(walk, root);
}

static int add_bytes(struct walk *walk, const char *name, const char *data, size_t length)
{
    if (count_bytes(walk, (off_t)length) != 0)
        return -1;
    return archive_add_bytes(walk->archive, name, data, length, walk->error);
}

static int add_files(struct walk *walk, const struct input_files *files)
{
    if (files->count > ENTRIES_MAX)
        return error_set(walk->error, ERROR_INPUT, "there are more than %d files", ENTRIES_MAX);
    for (size_t i = 0; i < files->count; i++) {
        const struct input_file *file = &files->items[i];

        if (check_cancelled(walk) != 0 ||
            add_bytes(walk, file->path, file->data, file->length) != 0)
            return -1;
    }
    return 0;
}

static int add_single_file(struct walk *walk, int fd, const char *name)
{
    struct stat status;

    if (fstat(fd, &status) != 0 || lseek(fd, 0, SEEK_SET) != 0)
        return error_set_errno(walk->error, ERROR_INPUT, "cannot read '%s'", name);
    if (count_bytes(walk, status.st_size) != 0)
        return -1;
    return archive_add_file(walk->archive, name, fd, status.st_size, (status.st_mode & 0111) != 0,
                            status.st_mtime, walk->error);
}

int pack_input(const struct plan *plan, struct archive *archive, struct strvec *warnings,
               const struct notifier *cancel, struct error *error)
{
    struct walk walk = {
        .archive = archive,
        .warnings = warnings,
        .error = error,
        .cancel = cancel,
        .entrypoint = plan->entrypoint,
        .by_default = !plan->source_name,
        .path = STRBUF_INIT,
        .max_bytes = limits_bytes(&plan->policy.limits, LIMIT_WORKDIR),
        .workdir_mb = (long)plan->policy.limits.number[LIMIT_WORKDIR],
    };
    const struct input *input = &plan->input;
    int result;

    if (input->dir)
        result = add_tree(&walk, input->dir);
    else if (input->code)
        result = add_bytes(&walk, plan->entrypoint, input->code, input->code_length);
    else
        result = add_single_file(&walk, input->file, plan->entrypoint);
    if (result == 0)
        result = add_files(&walk, &input->files);
    strbuf_release(&walk.path);
    return result == 0 ? archive_finish(archive, error) : -1;
}

#include "cli/grade/case_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/archive.h"
#include "base/cleanup.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/shared_file.h"
#include "base/text.h"

char *case_file_shown(const struct test_root *root, const char *path)
{
    CLEANUP_FREE char *escaped = text_escape(path);

    return string_format("%s/%s", root->shown, escaped);
}

/* Nothing outside of a package is opened: with a device, even that can do something. */
int case_file_check(const struct test_root *root, const char *path, struct error *error)
{
    CLEANUP_FREE char *shown = case_file_shown(root, path);
    const int below = root->package < 0 ? 1 : linux_leads_below(root->fd, path, root->package);

    if (below < 0)
        return error_set_errno(error, ERROR_INPUT, "cannot open '%s'", shown);
    return below > 0 ? 0
                     : error_set(error, ERROR_INPUT, "'%s' is a link that leads out of the package",
                                 shown);
}

int case_file_open(const struct test_root *root, const char *path, long long max,
                   struct error *error)
{
    CLEANUP_FREE char *shown = case_file_shown(root, path);
    CLEANUP_FD int fd = -1;
    struct stat status;

    if (case_file_check(root, path, error) != 0)
        return -1;
    fd = openat(root->fd, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0)
        return error_set_errno(error, ERROR_INPUT, "cannot open '%s'", shown);
    if (!S_ISREG(status.st_mode))
        return error_set(error, ERROR_INPUT, "'%s' is not a regular file", shown);
    if (status.st_size > max)
        return error_set(error, ERROR_INPUT, "'%s' is larger than %lld bytes", shown, max);
    return steal_fd(&fd);
}

int case_file_read(const struct test_root *root, const char *path, long long max,
                   struct strbuf *content, struct error *error)
{
    enum { CHUNK = 65536 };
    CLEANUP_FREE char *shown = case_file_shown(root, path);
    CLEANUP_FREE char *chunk = memory_allocate(CHUNK);
    CLEANUP_FD const int fd = case_file_open(root, path, max, error);
    ssize_t length;

    if (fd < 0)
        return -1;
    while ((length = read(fd, chunk, CHUNK)) != 0) {
        if (length < 0 && errno == EINTR)
            continue;
        if (length < 0)
            return error_set_errno(error, ERROR_INPUT, "cannot read '%s'", shown);
        if ((long long)content->length + length > max)
            return error_set(error, ERROR_INPUT, "'%s' is larger than %lld bytes", shown, max);
        strbuf_add(content, chunk, (size_t)length);
    }
    return 0;
}

/* ---- the files of a directory */

struct adding {
    const struct test_root *root;
    struct input_files *files;
    size_t skipped; /* bytes of the paths that are not in the working directory */
    struct error *error;
};

static int add_directory(struct adding *adding, const char *path, int level);

static int add_file(struct adding *adding, const char *path)
{
    const int fd = case_file_open(adding->root, path, ARCHIVE_FILE_MAX, adding->error);
    struct file_range range = {.offset = 0};
    struct stat status;

    if (fd < 0)
        return -1;
    range.length = fstat(fd, &status) == 0 ? status.st_size : 0;
    range.file = shared_file_new(fd);
    input_files_add_range(adding->files, path + adding->skipped, range);
    return 0;
}

static int add_entry(struct adding *adding, const char *parent, const char *name, int level)
{
    CLEANUP_FREE char *path = string_format("%s/%s", parent, name);
    CLEANUP_FREE char *shown = case_file_shown(adding->root, path);
    struct stat status;

    if (fstatat(adding->root->fd, path, &status, AT_SYMLINK_NOFOLLOW) != 0)
        return error_set_errno(adding->error, ERROR_INPUT, "cannot open '%s'", shown);
    if (S_ISDIR(status.st_mode))
        return add_directory(adding, path, level + 1);
    if (!S_ISREG(status.st_mode))
        return error_set(adding->error, ERROR_INPUT, "'%s' is not a regular file", shown);
    if (adding->files->count == TEST_FILES_OPENED_MAX)
        return error_set(adding->error, ERROR_INPUT, "'%s' is one file too many; a test has %d",
                         shown, TEST_FILES_OPENED_MAX);
    return add_file(adding, path);
}

static int add_directory(struct adding *adding, const char *path, int level)
{
    CLEANUP_FREE char *shown = case_file_shown(adding->root, path);
    CLEANUP_FD int fd = openat(adding->root->fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    struct dirent *entry;
    int status = 0;

    if (!dir)
        return error_set_errno(adding->error, ERROR_INPUT, "cannot read '%s'", shown);
    steal_fd(&fd); /* dir has it */
    if (level == TEST_FILES_LEVELS_MAX)
        status = error_set(adding->error, ERROR_INPUT, "'%s' is too deep", shown);
    while (status == 0 && (entry = readdir(dir)))
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            status = add_entry(adding, path, entry->d_name, level);
    closedir(dir);
    return status;
}

int case_file_add_directory(const struct test_root *root, const char *path,
                            struct input_files *files, struct error *error)
{
    struct adding adding = {
        .root = root, .files = files, .skipped = strlen(path) + 1, .error = error};

    return add_directory(&adding, path, 0);
}

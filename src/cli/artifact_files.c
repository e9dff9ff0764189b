#include "cli/artifact_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"

/* How many files that cannot be written get a warning, and how much of a name it has. */
enum { WARNINGS_MAX = 10, NAME_MAX_BYTES = 200 };

enum { CHUNK = 65536 };

enum { DIRECTORY = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC };

/* Creates the directory and those above it. -1 with errno. */
static int make_directories(const char *directory)
{
    CLEANUP_FREE char *path = string_copy(directory);

    for (char *slash = path; (slash = strchr(slash + (*slash != '\0'), '/')); *slash = '/') {
        *slash = '\0';
        if (*path && mkdir(path, 0777) != 0 && errno != EEXIST)
            return -1;
    }
    return mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : -1;
}

int artifact_files_open(const char *directory, struct error *error)
{
    CLEANUP_FREE char *escaped = text_escape(directory);
    int fd = -1;

    if (make_directories(directory) == 0)
        fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd >= 0 ? fd
                   : error_set_errno(error, ERROR_INPUT, "cannot open the directory '%s'", escaped);
}

/*
 * Opens the directory of the file and creates it if necessary. Sets *name to the last part of the
 * path. -1 with errno.
 */
static int open_parent(int directory, const char *path, const char **name)
{
    CLEANUP_FD int fd = openat(directory, ".", DIRECTORY);
    const char *slash;

    for (; fd >= 0 && (slash = strchr(path, '/')); path = slash + 1) {
        CLEANUP_FREE char *part = string_format("%.*s", (int)(slash - path), path);
        CLEANUP_FD const int above = fd;

        fd = mkdirat(above, part, 0777) == 0 || errno == EEXIST ? openat(above, part, DIRECTORY)
                                                                : -1;
    }
    *name = path;
    return steal_fd(&fd);
}

static int write_content(int fd, const struct artifact *artifact)
{
    CLEANUP_FREE char *chunk = memory_allocate(CHUNK);

    for (size_t done = 0; done < artifact->length;) {
        const size_t left = artifact->length - done;
        const size_t length = left < CHUNK ? left : CHUNK;

        if (artifact_read(artifact, done, chunk, length) != 0 ||
            io_write_all(fd, chunk, length) != 0)
            return -1;
        done += length;
    }
    return 0;
}

/* Creates the file with all of its content, or not at all. -1 with errno. */
static int write_new_file(int directory, const char *name, const struct artifact *artifact)
{
    const mode_t mode = artifact->executable ? 0777 : 0666;
    const int fd =
        openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
    int failure = 0;

    if (fd < 0)
        return -1;
    if (write_content(fd, artifact) != 0)
        failure = errno;
    if (close(fd) != 0 && failure == 0)
        failure = errno;
    if (failure != 0)
        unlinkat(directory, name, 0);
    errno = failure;
    return failure == 0 ? 0 : -1;
}

/* Replaces whatever has this name, even a link. -1 with errno. */
static int replace_file(int directory, const char *name, const struct artifact *artifact)
{
    char digits[17], temporary[32];
    int failure;

    linux_random_digits(digits, sizeof digits);
    snprintf(temporary, sizeof temporary, ".isolator-%s", digits);
    if (write_new_file(directory, temporary, artifact) != 0)
        return -1;
    if (renameat(directory, temporary, directory, name) == 0)
        return 0;
    failure = errno;
    unlinkat(directory, temporary, 0);
    errno = failure;
    return -1;
}

static int write_artifact(int directory, const char *path, bool replace, const char *advice,
                          const struct artifact *artifact, struct error *error)
{
    CLEANUP_FREE char *escaped = text_escape_short(artifact->name, NAME_MAX_BYTES);
    CLEANUP_FD int parent = -1;
    const char *name;

    parent = open_parent(directory, path, &name);
    if (parent >= 0 && (replace ? replace_file : write_new_file)(parent, name, artifact) == 0)
        return 0;
    if (errno == EEXIST && !replace)
        return error_set(error, ERROR_INPUT, "cannot write artifact '%s': it already exists; %s",
                         escaped, advice);
    if (errno == ELOOP || errno == ENOTDIR)
        return error_set(
            error, ERROR_INPUT,
            "cannot write artifact '%s': a part of its path exists and is not a directory",
            escaped);
    return error_set_errno(error, ERROR_SYSTEM, "cannot write artifact '%s'", escaped);
}

void artifact_files_write(int directory, const char *below, bool replace, const char *advice,
                          struct result *result)
{
    CLEANUP(error_release) struct error summary = ERROR_INIT;
    enum error_kind kind = ERROR_NONE;
    size_t failed = 0;

    for (size_t i = 0; i < result->artifacts.count; i++) {
        struct artifact *artifact = &result->artifacts.items[i];
        CLEANUP(error_release) struct error error = ERROR_INIT;
        CLEANUP_FREE char *path =
            string_format("%s%s%s", below ? below : "", below ? "/" : "", artifact->name);

        artifact->saved = write_artifact(directory, path, replace, advice, artifact, &error) == 0;
        if (artifact->saved)
            continue;
        if (failed < WARNINGS_MAX)
            strvec_push(&result->artifacts.missing, error.message);
        kind = kind == ERROR_SYSTEM ? kind : error.kind;
        failed++;
    }
    if (failed == 0 || !result_success(result))
        return;
    error_set(&summary, kind, "cannot write %zu of %zu artifacts; see the warnings", failed,
              result->artifacts.count);
    result_fail(result, &summary);
}

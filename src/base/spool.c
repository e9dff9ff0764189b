#include "base/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/strbuf.h"

enum { CHUNK = 65536 };

/* Like read(2), but -1 with ERROR_CANCELLED when `cancel` is raised; 0 at the end. */
static ssize_t read_cancellable(int fd, char *chunk, size_t size, const char *name,
                                const struct notifier *cancel, struct error *error)
{
    struct pollfd polled[2] = {{fd, POLLIN, 0}, {notifier_fd(cancel), POLLIN, 0}};
    ssize_t length = -1;

    do {
        if (poll(polled, 2, -1) < 0)
            continue;
        if (polled[1].revents != 0)
            return error_set(error, ERROR_CANCELLED, "cancelled while %s was read", name);
        length = read(fd, chunk, size);
    } while (length < 0 && (errno == EINTR || errno == EAGAIN));
    return length < 0 ? error_set_errno(error, ERROR_INPUT, "cannot read %s", name) : length;
}

/* The bytes of a regular file after the current position; 0: not known. */
static long long bytes_left(int fd)
{
    struct stat status;
    const off_t at = lseek(fd, 0, SEEK_CUR);

    if (at < 0 || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        return 0;
    return (long long)(status.st_size - at);
}

/* Copies to the file, which may have `max` bytes; -1: as many as fit. */
static int copy(int fd, int file, long long max, const char *name, const struct notifier *cancel,
                struct error *error)
{
    CLEANUP_FREE char *chunk = memory_allocate(CHUNK);
    long long total = 0;
    ssize_t length;

    while ((length = read_cancellable(fd, chunk, CHUNK, name, cancel, error)) > 0) {
        total += length;
        if (max >= 0 && total > max)
            return error_set(error, ERROR_INPUT, "%s is larger than %lld bytes", name, max);
        if (io_write_all(file, chunk, (size_t)length) != 0)
            return error_set_errno(error, ERROR_SYSTEM, "cannot write an unnamed file");
    }
    return length < 0 ? -1 : 0;
}

int spool_copy(int fd, long long max, const char *name, const struct notifier *cancel,
               struct error *error)
{
    CLEANUP_FD int file = linux_unnamed_file();

    if (file < 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot create an unnamed file");
    if (bytes_left(fd) > max)
        return error_set(error, ERROR_INPUT, "%s is larger than %lld bytes", name, max);
    return copy(fd, file, max, name, cancel, error) == 0 ? steal_fd(&file) : -1;
}

/* Creates a file on the disk and removes its name. */
static int open_disk_file(struct error *error)
{
    const char *directory = getenv("TMPDIR");
    const char *place = directory && *directory ? directory : "/tmp";
    CLEANUP_FREE char *path = string_format("%s/isolator-XXXXXX", place);
    const int file = mkstemp(path);

    if (file < 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot create a file in '%s'", place);
    unlink(path);
    fcntl(file, F_SETFD, FD_CLOEXEC);
    return file;
}

int spool_copy_to_disk(int fd, const char *name, const struct notifier *cancel, struct error *error)
{
    CLEANUP_FD int file = open_disk_file(error);

    if (file < 0 || copy(fd, file, -1, name, cancel, error) != 0)
        return -1;
    lseek(file, 0, SEEK_SET);
    return steal_fd(&file);
}

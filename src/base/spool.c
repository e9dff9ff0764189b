#include "base/spool.h"

#include <errno.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/linux.h"
#include "base/memory.h"

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

int spool_copy(int fd, long long max, const char *name, const struct notifier *cancel,
               struct error *error)
{
    CLEANUP_FD int file = linux_unnamed_file();
    CLEANUP_FREE char *chunk = memory_allocate(CHUNK);
    long long total = 0;
    ssize_t length;

    if (file < 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot create an unnamed file");
    if (bytes_left(fd) > max)
        return error_set(error, ERROR_INPUT, "%s is larger than %lld bytes", name, max);
    while ((length = read_cancellable(fd, chunk, CHUNK, name, cancel, error)) > 0) {
        total += length;
        if (total > max)
            return error_set(error, ERROR_INPUT, "%s is larger than %lld bytes", name, max);
        if (io_write_all(file, chunk, (size_t)length) != 0)
            return error_set_errno(error, ERROR_SYSTEM, "cannot write an unnamed file");
    }
    return length < 0 ? -1 : steal_fd(&file);
}

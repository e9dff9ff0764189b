#include "base/io.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"

enum { PAUSE_MS = 20 };

int io_write_all(int fd, const void *data, size_t length)
{
    const char *rest = data;

    while (length > 0) {
        const ssize_t written = write(fd, rest, length);

        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0) {
            if (written == 0)
                errno = EIO; /* nothing was written, and there is no reason */
            return -1;
        }
        rest += written;
        length -= (size_t)written;
    }
    return 0;
}

char *io_read_start(int fd, size_t max, size_t *length)
{
    char *data = memory_allocate(max + 1);
    ssize_t got = 0;

    *length = 0;
    while (*length < max && (got = read(fd, data + *length, max - *length)) > 0)
        *length += (size_t)got;
    data[*length] = '\0';
    if (got >= 0)
        return data;
    free(data);
    return NULL;
}

int io_poll(struct pollfd *polled, nfds_t count, int timeout)
{
    const int pause = timeout >= 0 && timeout < PAUSE_MS ? timeout : PAUSE_MS;
    const struct timespec length = {0, pause * 1000000L};
    const int ready = poll(polled, count, timeout);

    if (ready >= 0)
        return ready;
    if (errno != EINTR)
        nanosleep(&length, NULL);
    for (nfds_t i = 0; i < count; i++)
        polled[i].revents = 0; /* poll() has not set them */
    return -1;
}

bool io_has_bytes(int fd)
{
    struct stat status;
    int waiting = 0;

    if (fstat(fd, &status) != 0)
        return false;
    if (S_ISREG(status.st_mode)) {
        const off_t at = lseek(fd, 0, SEEK_CUR);

        return at >= 0 && at < status.st_size;
    }
    if (!S_ISFIFO(status.st_mode) && !S_ISSOCK(status.st_mode))
        return false;
    return ioctl(fd, FIONREAD, &waiting) == 0 && waiting > 0;
}

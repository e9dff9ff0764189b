#define _GNU_SOURCE
#include "supervisor/descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

void descriptor_close(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

/* To a socket without SIGPIPE. */
bool descriptor_write_all(int fd, const void *data, size_t length)
{
    const char *bytes = data;

    while (length > 0) {
        ssize_t written = send(fd, bytes, length, MSG_NOSIGNAL);

        if (written < 0 && errno == ENOTSOCK)
            written = write(fd, bytes, length);
        if (written < 0 && errno != EINTR)
            return false;
        if (written > 0) {
            bytes += written;
            length -= (size_t)written;
        }
    }
    return true;
}

uint64_t descriptor_pending(int fd)
{
    int bytes = 0;

    return fd >= 0 && ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0 ? (uint64_t)bytes : 0;
}

bool descriptor_is_drained(int fd)
{
    struct pollfd polled = {fd, POLLIN, 0};

    return poll(&polled, 1, 0) == 0;
}

void descriptor_discard(int *fd)
{
    uint64_t left = descriptor_pending(*fd);
    char bytes[4096];
    ssize_t length;

    if (*fd < 0)
        return;
    do {
        length = read(*fd, bytes, sizeof bytes);
        if (length == 0)
            descriptor_close(fd);
        left = length > 0 && (uint64_t)length < left ? left - (uint64_t)length : 0;
    } while (left > 0);
}

static void discard(void *context, int number)
{
    (void)number;
    descriptor_discard(context);
}

void descriptor_discard_watch(int *fd, struct loop *loop)
{
    loop_add(loop, *fd, POLLIN, discard, fd, 0);
}

void sinks_init(struct sinks *sinks)
{
    memset(sinks->fds, -1, sizeof sinks->fds);
    sinks->next = 0;
}

void sinks_take(struct sinks *sinks, int *fd)
{
    int slot = sinks->next;

    for (int i = 0; i < SINKS_MAX; i++)
        if (sinks->fds[i] < 0)
            slot = i;
    if (sinks->fds[slot] >= 0)
        sinks->next = (slot + 1) % SINKS_MAX;
    descriptor_close(&sinks->fds[slot]);
    sinks->fds[slot] = *fd;
    *fd = -1;
}

void sinks_watch(struct sinks *sinks, struct loop *loop)
{
    for (int i = 0; i < SINKS_MAX; i++)
        descriptor_discard_watch(&sinks->fds[i], loop);
}

void descriptor_enlarge_pipe(int fd)
{
    enum { OUTPUT_PIPE_BYTES = 1 << 20 };

    fcntl(fd, F_SETPIPE_SZ, OUTPUT_PIPE_BYTES); /* may be refused */
}

/*
 * Descriptors: write(2) that writes everything, and poll(2) that a loop can rely on.
 */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <poll.h>
#include <stddef.h>

/* 0; -1 and errno if not all was written. For descriptors that block. */
int io_write_all(int fd, const void *data, size_t length);

/*
 * poll(2) for a loop that polls again whatever happens. If it fails, it returns -1, no descriptor
 * is ready (revents are 0), and unless a signal was the reason (EINTR) it has slept for 20 ms, or
 * for `timeout` if that is shorter: a loop in a process whose kernel has no memory must not spin.
 */
int io_poll(struct pollfd *polled, nfds_t count, int timeout);

#endif

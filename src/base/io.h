/*
 * Descriptors: write(2) that writes everything, poll(2) that a loop can rely on, and whether there
 * is anything to read.
 */
#ifndef BASE_IO_H
#define BASE_IO_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

/* Returns 0, or -1 with errno if not everything was written. For descriptors that block. */
int io_write_all(int fd, const void *data, size_t length);

/*
 * Returns at most `max` bytes from where the file is, owned, with a NUL after them; NULL with
 * errno. For regular files.
 */
char *io_read_start(int fd, size_t max, size_t *length);

/*
 * poll(2) for a loop that polls again after every failure. A failure returns -1 and sets all
 * revents to 0. Unless a signal was the reason (EINTR), it also sleeps for 20 ms, or for `timeout`
 * (ms) if that is shorter, so that the loop does not spin while the kernel has no memory.
 */
int io_poll(struct pollfd *polled, nfds_t count, int timeout);

/*
 * Whether bytes wait to be read: the rest of a regular file, or what is in a pipe or a socket now.
 * Reads nothing and does not wait. False for devices, so for terminals and /dev/null, and if it is
 * not known.
 */
bool io_has_bytes(int fd);

#endif

/*
 * Our ends of pipes from programs: to close them, and to drop what comes that belongs to nothing;
 * and what is written to a pipe or a socket.
 */
#ifndef SUPERVISOR_DESCRIPTORS_H
#define SUPERVISOR_DESCRIPTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/loop.h"

/* Closes a descriptor that is open, and sets it to -1. */
void descriptor_close(int *fd);

/* Writes all bytes, and waits until there is room. False: errno says why not. */
bool descriptor_write_all(int fd, const void *data, size_t length);

/* Bytes that are in a pipe now; 0 if it is closed here. */
uint64_t descriptor_pending(int fd);

/* Whether a pipe is empty and may still be written to. */
bool descriptor_is_drained(int fd);

/* Reads and drops what is in a pipe now, and not what comes meanwhile. Closes it at its end. */
void descriptor_discard(int *fd);

/* Drops what comes from now on; *fd has to last as long as the loop. */
void descriptor_discard_watch(int *fd, struct loop *loop);

/*
 * Streams of programs that have ended whose processes stay: what comes is discarded. The oldest one
 * is closed if there are too many.
 */
enum { SINKS_MAX = 16 };

struct sinks {
    int fds[SINKS_MAX]; /* owned; -1: none */
    int next;           /* the oldest */
};

void sinks_init(struct sinks *sinks);

/* Takes a descriptor, which is -1 after that. */
void sinks_take(struct sinks *sinks, int *fd);

void sinks_watch(struct sinks *sinks, struct loop *loop);

/*
 * Enlarges a pipe for output to the largest that the kernel gives everyone: Node.js discards what
 * does not fit if a program calls process.exit(). What is in it counts as memory of the container.
 * A user who has many such pipes gets small ones (/proc/sys/fs/pipe-user-pages-soft).
 */
void descriptor_enlarge_pipe(int fd);

#endif

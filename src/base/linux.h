/*
 * The system calls that only Linux has, each behind one function, so that the rest is POSIX.1-2008.
 */
#ifndef BASE_LINUX_H
#define BASE_LINUX_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* A file in memory that has no name and ends with its last descriptor; close-on-exec. -1, errno. */
int linux_unnamed_file(void);

/* One that holds these bytes, ready to be read from its start. -1, errno. */
int linux_unnamed_file_of(const void *data, size_t length);

/*
 * A pipe whose ends are close-on-exec from the start, so that no child which another thread starts
 * in between inherits one. 0, or -1 and errno.
 */
int linux_pipe(int fds[2]);

/* A counter (eventfd(2)) of 0 that never blocks; close-on-exec. -1, errno. */
int linux_eventfd(void);

/*
 * Opens the pipe or terminal of this descriptor once more, for writing, with O_NONBLOCK and
 * close-on-exec: no other process shares that new open file description. -1, errno; also for the
 * master side of a pseudo-terminal, of which a second open would make a new one.
 */
int linux_reopen_nonblocking(int fd);

/*
 * A descriptor that polls readable once the child has ended (Linux 5.3); close-on-exec. -1, errno.
 */
int linux_pidfd(pid_t pid);

/* Whether the writing end of the pipe or socket is closed, however much of it is not read yet. */
bool linux_writer_gone(int fd);

/*
 * Kills the children of the calling process, in whatever thread they were started, but those that
 * have a session of their own.
 */
void linux_kill_children(void);

/* Raises the limit of open descriptors to what the process may have. */
void linux_raise_descriptors(void);

/* How many processor cores of this host work; at least 1. */
int linux_cores(void);

/*
 * For a process that lives on after it has needed much: `freed` bytes were freed, and if those were
 * many, the system gets back what the C library keeps (glibc does). May take milliseconds.
 */
void linux_trim_memory(size_t freed);

/* Closes all descriptors from this one on. For a child that goes its own way. */
void linux_close_from(int first);

/* Fills the buffer with unpredictable random bytes. Aborts if the kernel has none. */
void linux_random(void *buffer, size_t length);

/* `size` - 1 random hexadecimal digits and a NUL; size is odd. */
void linux_random_digits(char *text, size_t size);

#endif

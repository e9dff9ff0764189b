/*
 * The system calls that only Linux has, one function for each, so that the rest is POSIX.1-2008.
 */
#ifndef BASE_LINUX_H
#define BASE_LINUX_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Returns a file in memory without a name, which is freed with its last descriptor; close-on-exec.
 * -1, errno.
 */
int linux_unnamed_file(void);

/*
 * The same for many bytes: on the disk, in $TMPDIR or else in /tmp; in memory only if no file can
 * be created there. -1, errno.
 */
int linux_unnamed_disk_file(void);

/* A file in memory with these bytes as its content and the offset 0. -1, errno. */
int linux_unnamed_file_of(const void *data, size_t length);

/*
 * Opens a pipe whose ends are close-on-exec from the start, so that no child that another thread
 * starts at that moment inherits one. 0, or -1 and errno.
 */
int linux_pipe(int fds[2]);

/* Returns an eventfd(2) of 0 that never blocks; close-on-exec. -1, errno. */
int linux_eventfd(void);

/*
 * Returns a descriptor that polls readable while one of two others does, of which each may be -1;
 * close-on-exec. -1, errno.
 */
int linux_either_readable(int one, int other);

/*
 * Opens the pipe or terminal of this descriptor once more, for writing, with O_NONBLOCK and
 * close-on-exec: no other process shares that new open file description. -1, errno; also for the
 * master side of a pseudo-terminal, of which a second open would make a new one.
 */
int linux_reopen_nonblocking(int fd);

/*
 * Whether a path, from a directory, leads to what is below another directory, both by their names
 * in /proc/self/fd, which have no links. Opens nothing for reading. 1, 0, or -1 and errno.
 */
int linux_leads_below(int from, const char *path, int directory);

/*
 * Opens a regular file that the path leads to, for reading, if that is below another directory.
 * Opens nothing else, not even a moment later. -1 if it is not, and errno otherwise.
 */
int linux_open_below(int from, const char *path, int directory);

/*
 * read(2) of a descriptor that polls readable, for which another process may read too: -1 and
 * EAGAIN if that has taken the bytes, and O_NONBLOCK need not be set. Kernels before 6.5 can still
 * wait if it takes them in the moment of the call, and all kernels at a terminal.
 */
ssize_t linux_read_now(int fd, void *data, size_t size);

/*
 * Returns a descriptor that polls readable once the child has ended (Linux 5.3); close-on-exec. -1,
 * errno.
 */
int linux_pidfd(pid_t pid);

/* True if the writing end of the pipe or socket is closed, even if there are unread bytes. */
bool linux_writer_gone(int fd);

/*
 * Kills all children of the calling process, no matter which thread started them, except those that
 * lead a session of their own.
 */
void linux_kill_children(void);

/* Raises the soft limit of open descriptors to the hard limit. */
void linux_raise_descriptors(void);

/* Returns how many processor cores of this host are online; at least 1. */
int linux_cores(void);

/*
 * Has all threads allocate from one heap. glibc gives each thread one of its own, which costs a few
 * hundred kB; our threads allocate too little to wait for each other. Before the first thread.
 */
void linux_share_heap(void);

/*
 * Returns freed memory to the system, which glibc would keep, if `freed`, the number of bytes that
 * were just freed, is large. For a process that lives on. May take milliseconds.
 */
void linux_trim_memory(size_t freed);

/* Closes this descriptor and all higher ones. For a child that was forked and does not exec. */
void linux_close_from(int first);

/* Fills the buffer with unpredictable random bytes. Aborts if the kernel has none. */
void linux_random(void *buffer, size_t length);

/* Writes `size` - 1 random hexadecimal digits and a NUL; `size` is odd and at most 65. */
void linux_random_digits(char *text, size_t size);

#endif

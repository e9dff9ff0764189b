/*
 * A background process that outlives this one if necessary: it learns by the end of a pipe that
 * this process has ended, also if by SIGKILL, and then tidies up. This module does not know what.
 */
#ifndef BASE_BACKGROUND_H
#define BASE_BACKGROUND_H

#include <stdbool.h>
#include <sys/types.h>

struct background {
    int fd;    /* the end of the pipe that is written to, non-blocking; -1: there is no process */
    pid_t pid; /* valid if there is one */
};

/* What the process does: reads from the pipe until its end, and returns. */
typedef void background_main(void *context, int fd);

/*
 * Starts the process, before the first thread of this one. It has a session of its own, which
 * linux_kill_children() spares, and no descriptor but the pipe and /dev/null as its standard
 * streams: a parent may wait for the end of ours. Returns false if the host refuses a process or a
 * pipe.
 */
bool background_start(struct background *background, background_main *run, void *context);

/* Writes a short line, from any thread. If the pipe is full or there is no process, it is lost. */
void background_send(const struct background *background, const char *line);

/*
 * Closes the pipe and waits up to `wait_ms` for the end of the process, since its parent may not do
 * so after this process has ended: process 1 of a container, for example. 0: does not wait.
 */
void background_end(struct background *background, int wait_ms);

#endif

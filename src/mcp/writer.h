/*
 * What goes to the client: lines, written by a thread of their own, so that a client that does not
 * read holds up nobody. It cannot make memory grow either: who makes answers asks writer_full() or
 * waits in writer_wait() before it makes the next.
 */
#ifndef MCP_WRITER_H
#define MCP_WRITER_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/notifier.h"
#include "base/strbuf.h"

struct writer {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* something to write, or room, or the end */
    struct strbuf waiting;  /* not yet taken by the thread */
    size_t unwritten;       /* bytes that wait or that it has taken */
    bool hurrying;          /* nobody waits for room any more */
    bool ended;             /* the thread ends when all is written */
    int broken;             /* errno of why nothing can be written any more; 0: it can */
    int fd;
    const struct notifier *wake; /* woken when there is room again and when the client is gone */
    pthread_t thread;
};

/* Starts the thread that writes to fd. ERROR_SYSTEM. */
int writer_start(struct writer *writer, int fd, const struct notifier *wake, struct error *error);

/* Takes a line over (from malloc(3)). Never blocks. */
void writer_put(struct writer *writer, char *line, size_t length);

/* Whether so much waits that nothing should be begun that makes more. */
bool writer_full(struct writer *writer);

/* Waits while it is full, unless the server ends. */
void writer_wait(struct writer *writer);

/*
 * Why nothing can be written any more, and what comes is dropped: errno, EPIPE where the client has closed its
 * end; 0 while it can.
 */
int writer_broken(struct writer *writer);

/* The server ends: from now on nobody waits for room. */
void writer_stop_waiting(struct writer *writer);

/*
 * Waits until everything is written or the deadline (clock_now_ms()) has passed, and frees everything.
 * -1: the thread hangs in write(), so that nothing is freed and the process has to end with it.
 */
int writer_finish(struct writer *writer, long long deadline);

#endif

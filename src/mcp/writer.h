/*
 * Writes lines to the client in a thread of its own, so that a client that does not read delays no
 * other work. Nor does such a client make memory grow: before a response is made, its maker asks
 * writer_full() or waits in writer_wait().
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
    pthread_cond_t changed; /* there is something to write, or room, or the end has come */
    struct strbuf waiting;  /* not yet taken by the thread */
    size_t unwritten;       /* bytes that wait or that the thread has taken */
    bool ending;            /* writer_wait() returns at once */
    bool finished;          /* the thread ends when everything is written */
    int broken;             /* errno of a failed write; 0: none has failed */
    int fd;
    const struct notifier *wake; /* raised when there is room again and when a write fails */
    pthread_t thread;
};

/* Starts the thread that writes to fd. ERROR_SYSTEM. */
int writer_start(struct writer *writer, int fd, const struct notifier *wake, struct error *error);

/* Takes a line over (from malloc(3)) and does not block. Drops it if a write has failed. */
void writer_put(struct writer *writer, char *line, size_t length);

/* Whether more than 4 MiB wait, so that no response should be made. */
bool writer_full(struct writer *writer);

/* Waits while the writer is full, unless writer_stop_waiting() was called. */
void writer_wait(struct writer *writer);

/*
 * errno of a failed write, after which nothing more is written: EPIPE if the client has closed its
 * end. 0 if none has failed.
 */
int writer_broken(struct writer *writer);

/* Ends all writer_wait() from now on: the server ends. */
void writer_stop_waiting(struct writer *writer);

/*
 * Waits until everything is written, then frees everything. -1 if the deadline (clock_now_ms())
 * passes before: the thread blocks in write(), nothing is freed, and the process has to end with
 * it.
 */
int writer_finish(struct writer *writer, long long deadline);

#endif

/*
 * Writes lines to the client in a thread of its own, so that only this thread waits for a client
 * that does not read. To bound the memory, callers check writer_full() or call writer_wait() before
 * they make a response.
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
    pthread_cond_t changed;          /* signalled when any of the members below changes */
    struct strbuf waiting;           /* lines that the thread has not taken yet */
    unsigned long long put, written; /* bytes of lines so far */
    size_t unwritten;                /* bytes of these, and of those that the thread writes now */
    bool ending;                     /* writer_wait() returns at once */
    bool finished;                   /* the thread ends when everything is written */
    int broken;                      /* errno of a failed write; 0: none has failed */
    int fd;
    const struct notifier *wake; /* raised when there is room again and when a write fails */
    pthread_t thread;
};

/* Starts the thread that writes to fd. `wake` is borrowed. ERROR_SYSTEM if it cannot start. */
int writer_start(struct writer *writer, int fd, const struct notifier *wake, struct error *error);

/* Adds a line and takes ownership of it; never blocks. Drops the line if a write has failed. */
void writer_put(struct writer *writer, char *line, size_t length);

/* Whether more than 4 MiB wait. Then no further response should be made. */
bool writer_full(struct writer *writer);

/* Waits while the writer is full, unless writer_stop_waiting() was called. */
void writer_wait(struct writer *writer);

/*
 * Waits until all lines that were added so far are written. False if a write fails, or once
 * writer_stop_waiting() was called: then they may not be.
 */
bool writer_flush(struct writer *writer);

/*
 * errno of a failed write, after which nothing more is written: EPIPE if the client has closed its
 * end. 0 if none has failed.
 */
int writer_broken(struct writer *writer);

/* Ends all calls of writer_wait() and writer_flush(), now and later, because the server shuts down.
 */
void writer_stop_waiting(struct writer *writer);

/*
 * Waits until everything is written, then frees everything. -1 if that takes longer than the
 * deadline (clock_now_ms()): the thread is blocked in write(), nothing is freed, and the caller
 * must end the process.
 */
int writer_finish(struct writer *writer, long long deadline);

#endif

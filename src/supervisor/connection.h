/*
 * The connection to isolator, and what ends this process and with it the container: the end of the
 * connection, an isolator that does not read, and a timer. A second timer kills a program that is
 * late. In a workspace only the connection ends, and one to another client can follow; a third
 * timer ends this process. Knows nothing of requests.
 *
 * How this works. The loop reads pipes that a program writes to. The kernel locks a pipe for each
 * read and each write, also while it copies the bytes from the writer's memory, and a writer can
 * see to it that this takes seconds: with page faults that wait for its other threads. Meanwhile
 * the loop waits for the lock, sees neither the end of isolator nor its own timers, and could not
 * even end: the end of a process closes its pipes, which takes the same lock.
 *
 * So in process 1 a second thread waits for those few events, and reads no pipe. It kills all
 * processes, and so every writer that has a lock. It needs no memory that it does not have from
 * the beginning, and calls nothing that may wait.
 */
#ifndef SUPERVISOR_CONNECTION_H
#define SUPERVISOR_CONNECTION_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/loop.h"
#include "supervisor/frame_link.h"
#include "supervisor/processes.h"

struct connection {
    struct frame_link link;
    const struct processes *processes; /* borrowed */
    int timer, late_timer;             /* owned; they also count while the machine is suspended */
    bool stays;                        /* this process does at its end, and owns what `link` uses */
    int life_timer;                    /* owned; -1 unless it `stays`, as is the next one */
    int over; /* owned; eventfd(2): the second thread has killed all since `timer` has run out */
    atomic_int life_status;
    pid_t thread; /* the second one; 0: there is none */
    atomic_bool is_late;
};

/*
 * Writes to all its memory, opens the timers, and starts the thread if this is process 1. The
 * descriptors are made non-blocking. False: the kernel refuses something. `key`: see
 * frame_link_init().
 */
bool connection_open(struct connection *connection, int in, int out, const char *key,
                     const struct processes *processes);

/* The same for a workspace, without a connection. */
bool connection_open_workspace(struct connection *connection, const struct processes *processes);

/* In a workspace: there is a connection again, by these descriptors. */
void connection_begin(struct connection *connection, int in, int out);

/*
 * The connection has ended: so does this process, with the status, unless it stays. Then
 * `link.dropped` is true.
 */
void connection_end(struct connection *connection, int status);

/* Writes to the memory of the second thread, and changes nothing. */
void connection_touch_memory(void);

/* Kills all processes and ends this one. */
_Noreturn void connection_leave(const struct connection *connection, int status);

/* The same, once all that is to be sent is written, or when the time is over. */
_Noreturn void connection_finish(struct connection *connection, int status);

/*
 * Sends a control frame: a fixed part and a text (NULL: none), whose end is cut off if it is too
 * long. There is always room for it, unless isolator does not read; then the connection ends.
 */
void connection_send(struct connection *connection, enum frame_type type, const void *fixed,
                     size_t length, const char *text);

/* Writes what the connection takes now. */
void connection_write(struct connection *connection);

/* Ends the connection after so many milliseconds, and kills all; 0: the timer is off. */
void connection_set_timer(const struct connection *connection, uint64_t ms);

/* Kills the program after so many milliseconds, and sets `is_late`; 0: the timer is off. */
void connection_set_late(struct connection *connection, uint64_t ms);

/* In a workspace: ends this process after so many milliseconds, with this status. */
void connection_set_life(struct connection *connection, uint64_t ms, int status);

/* The first two timers run out so many milliseconds later, if they are on and have not run out. */
void connection_extend(const struct connection *connection, uint64_t ms);

/* Reads frames that arrive, writes what waits, and ends the connection when its time is over. */
void connection_watch(struct connection *connection, struct loop *loop);

/*
 * Ends this process if isolator has closed the connection or the timer has run out. Waits up to
 * `wait_ms` for that. Reads what has arrived, as far as there is room, and handles no frame. A
 * script is not read.
 */
void connection_poll(struct connection *connection, int wait_ms);

#endif

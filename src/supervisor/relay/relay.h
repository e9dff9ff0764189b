/*
 * Process 1's end of the relay: a process in the container that accepts the connections of the
 * program (supervisor/relay/relay_server.h). What it says to isolator, and isolator to it, are
 * bytes that are passed on over two pipes (base/mux.h): process 1 opens no socket and parses none
 * of it. There is a new relay for each request that orders one, and it ends with the request. The
 * program may kill or stop it, and loses only its own connections. Knows nothing of requests.
 */
#ifndef SUPERVISOR_RELAY_H
#define SUPERVISOR_RELAY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/loop.h"
#include "supervisor/connection.h"
#include "supervisor/input_stream.h"

struct relay {
    struct connection *connection; /* borrowed */
    void *own;                     /* memory that it does not get; borrowed */
    size_t own_size;
    struct input_stream input; /* bytes for it */
    int in, out;               /* our ends of its pipes; owned; -1: there is no relay */
    pid_t pid;                 /* 0: it was not started, or was reaped by the caller */
    uint64_t patience_us;      /* figures_clock_us() when it counts as ready in any case */
    bool ready;                /* it has said whether it listens, or has ended, or there is none */
};

/* `own`: the memory that process 1 needs, see supervisor/own_memory.h. */
void relay_init(struct relay *relay, struct connection *connection, void *own, size_t own_size);

/*
 * Starts one for a request, for so many connections of the proxy and of the tools at once; both 0:
 * none. False: there is no process for it, and errno says why.
 */
bool relay_start(struct relay *relay, uint32_t connections, uint32_t tools);

/*
 * Whether the program can begin. A process that has stayed in a session may stop the relay before
 * that: then it begins after some seconds.
 */
bool relay_is_ready(const struct relay *relay);

/* Kills it. What still arrives for it is dropped. */
void relay_stop(struct relay *relay);

/* Takes bytes for it. False: more than was granted. */
bool relay_take(struct relay *relay, const char *bytes, size_t length);

/* Another request follows: isolator may send as many bytes as at first. */
void relay_reset(struct relay *relay);

/* Passes on bytes in both directions, as far as there is credit and room. */
void relay_watch(struct relay *relay, struct loop *loop);

#endif

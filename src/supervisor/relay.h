/*
 * Process 1's end of the relay: a process in the container that accepts the connections of the
 * program (supervisor/relay_server.h). What it says to isolator, and isolator to it, are bytes that
 * are passed on over two pipes (base/mux.h): process 1 opens no socket and parses none of it. There
 * is a new relay for each request that orders one, and it ends with the request. The program may
 * kill or stop it, and loses only its own connections. Knows nothing of requests.
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
    struct input_stream input;     /* bytes for it */
    int in, out;                   /* our ends of its pipes; owned; -1: there is no relay */
    pid_t pid;                     /* 0: it was not started, or was reaped by the caller */
    bool ready; /* it has said whether it listens, or has ended, or there is none */
};

void relay_init(struct relay *relay, struct connection *connection);

/*
 * Starts one for a request, for so many connections at once; 0: none. False: there is no process
 * for it, and errno says why. It is `ready` later.
 */
bool relay_start(struct relay *relay, uint32_t connections);

/* Kills it. What still arrives for it is dropped. */
void relay_stop(struct relay *relay);

/* Takes bytes for it. False: more than was granted. */
bool relay_take(struct relay *relay, const char *bytes, size_t length);

/* Another request follows: isolator may send as many bytes as at first. */
void relay_reset(struct relay *relay);

/* Passes on bytes in both directions, as far as there is credit and room. */
void relay_watch(struct relay *relay, struct loop *loop);

#endif

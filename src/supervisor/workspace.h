/*
 * Process 1's part of a workspace: who is let in, one after the other, and how long it lasts
 * ("Workspaces" in supervisor/protocol.h). Knows nothing of requests.
 */
#ifndef SUPERVISOR_WORKSPACE_H
#define SUPERVISOR_WORKSPACE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/loop.h"
#include "supervisor/connection.h"

enum { WORKSPACE_ATTACH_MS = 10000 };

struct workspace_options {
    const char *name;
    uint64_t ends_s, idle_s; /* seconds since 1970, and without a client */
    uint64_t attach_ms;      /* how long a client that was let in may take to attach */
    uid_t user;              /* of the clients: 0 except in tests */
};

struct workspace {
    const struct workspace_options *options; /* borrowed; NULL: it is not a workspace */
    struct connection *connection;           /* borrowed, as is `own` */
    void *own;                               /* memory that the gate does not get */
    size_t own_size;
    int listener;       /* owned */
    pid_t gate;         /* supervisor/gate.h; 0: there is none, or it was reaped by the caller */
    bool attached;      /* there is a client that has sent ATTACH */
    uint64_t ends_ms;   /* by CLOCK_BOOTTIME */
    uint64_t gate_us;   /* figures_clock_us() when there may be another gate */
    uint64_t attach_us; /* when ATTACH has to have come; 0: no one was let in */
};

/* Opens the socket, and sets the timer. False: there is none. */
bool workspace_open(struct workspace *workspace, const struct workspace_options *options,
                    struct connection *connection, void *own, size_t own_size);

/* Whether the next client can be let in now; and starts the gate for it. */
bool workspace_is_due(const struct workspace *workspace);
void workspace_let_in(struct workspace *workspace);

/* For each turn of the loop: a gate that was stopped goes on, and a client has to attach. */
void workspace_check(struct workspace *workspace);
void workspace_watch(const struct workspace *workspace, struct loop *loop);

/* A child has ended. False: it is not the gate. */
bool workspace_take_end(struct workspace *workspace, pid_t pid);

/* The client has attached; and the connection has ended, which can be told again. */
void workspace_attach(struct workspace *workspace);
void workspace_leave(struct workspace *workspace);

#endif

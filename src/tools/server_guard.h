/*
 * Ends the servers of tools if isolator cannot do it itself, since it was killed by SIGKILL: a
 * background process knows their process groups. As at the end of isolator, they get SIGTERM 2 s
 * after the end of their standard input, and SIGKILL 2 s later. PR_SET_PDEATHSIG is no cure: it
 * follows the thread that started the server, and not what the server starts.
 */
#ifndef TOOLS_SERVER_GUARD_H
#define TOOLS_SERVER_GUARD_H

#include <sys/types.h>

#include "base/background.h"

struct server_guard {
    struct background process;
};

/*
 * Starts the process, before the first thread of the program. If the host refuses it, servers get
 * only the end of their standard input.
 */
void server_guard_start(struct server_guard *guard);

/* A server runs in this process group, or has ended. From any thread; `guard` may be NULL. */
void server_guard_add(const struct server_guard *guard, pid_t group);
void server_guard_remove(const struct server_guard *guard, pid_t group);

/* Ends the process, when all servers have ended. */
void server_guard_end(struct server_guard *guard);

#endif

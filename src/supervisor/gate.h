/*
 * The socket that the clients of a workspace connect to, and the gate: a helper that lets one of
 * them in ("Workspaces" in supervisor/protocol.h). Process 1 makes the socket before any program
 * runs and holds it, so that no program can take its name, and never accepts a connection: what
 * comes over a socket can block who closes it (SO_LINGER). The gate does, passes its ends of two
 * pipes to the client, and ends. A program may kill or stop it. Knows no frames.
 */
#ifndef SUPERVISOR_GATE_H
#define SUPERVISOR_GATE_H

#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

/* The address of a workspace of this name, an abstract one; its length. */
socklen_t gate_address(struct sockaddr_un *address, const char *name);

/* A socket that listens at it; -1: errno says why not. */
int gate_listen(const char *name);

/*
 * The gate, in a process of its own: waits for a peer. One of this user gets `in`, a pipe to be
 * read, and `out`, one to be written; the kernel says who it is. Another one is turned away. So it
 * sees no second peer, and what the first has sent is dropped at the end of the process, which
 * waits for nothing. It also ends when the pipes have no other end.
 */
_Noreturn void gate_serve(int listener, int in, int out, uid_t user);

#endif

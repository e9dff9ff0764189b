/*
 * The relay: a process in a container that accepts the connections of programs, at a port of the
 * loopback interface (the proxy) and at a UNIX socket (the tools), and carries their bytes to
 * isolator and back (base/mux.h). It has no descriptor but two pipes and its sockets, and parses
 * nothing that passes through. Descriptors that a program sends it are closed by the kernel.
 */
#ifndef SUPERVISOR_RELAY_SERVER_H
#define SUPERVISOR_RELAY_SERVER_H

#include <stdint.h>

/*
 * Serves in this process, a new one, until isolator or process 1 closes `in`. `in` and `out` are
 * the pipes, `connections` and `tools` how many of the proxy and of the tools are open at once;
 * others wait until one ends. 0: there is no such service.
 */
_Noreturn void relay_server(int in, int out, uint32_t connections, uint32_t tools);

/*
 * A proxy for the standard input and output, in a child of this process, which exits when programs
 * can connect: its exit status is 0. It is 1 if they cannot, and isolator is told why.
 */
_Noreturn void relay_server_detached(uint32_t connections);

#endif

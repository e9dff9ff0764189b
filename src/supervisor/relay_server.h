/*
 * The relay: a process in a container that listens on its loopback interface, accepts the
 * connections of programs, and carries their bytes to isolator and back (base/mux.h). It has no
 * descriptor but two pipes and its sockets, and parses nothing that passes through.
 */
#ifndef SUPERVISOR_RELAY_SERVER_H
#define SUPERVISOR_RELAY_SERVER_H

#include <stdint.h>

/*
 * Serves in this process, a new one, until isolator or process 1 closes `in`. `in` and `out` are
 * the pipes, `connections` how many are open at once; others wait until one ends.
 */
_Noreturn void relay_server(int in, int out, uint32_t connections);

/*
 * The same for the standard input and output, in a child of this process, which exits when programs
 * can connect: its exit status is 0. It is 1 if they cannot, and isolator is told why.
 */
_Noreturn void relay_server_detached(uint32_t connections);

#endif

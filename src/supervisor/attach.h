/*
 * A client of a workspace: a process in the container, of user 0, that copies its stdin to process
 * 1, and what process 1 says to its stdout ("Workspaces" in supervisor/protocol.h). It trusts
 * nothing but the pipes that it is passed.
 */
#ifndef SUPERVISOR_ATTACH_H
#define SUPERVISOR_ATTACH_H

#include <sys/types.h>

/*
 * Connects to the workspace of this name, whose socket belongs to process `server`; 0: to any. The
 * exit status: 0 after the end of stdin, or once process 1 has closed its end and all of it is
 * written; 1: it was not let in, or no one reads its stdout. Waits as long as another client is
 * connected, but not after the end of stdin.
 */
int attach(const char *name, pid_t server);

#endif

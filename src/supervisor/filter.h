/*
 * The system calls that a program may not make, in addition to those that the engine refuses. The
 * filter protects process 1, which has the program's user, with its second thread, and closes parts
 * of the kernel that no program needs. A refused call gets an errno, so that programs can fall
 * back.
 */
#ifndef SUPERVISOR_FILTER_H
#define SUPERVISOR_FILTER_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Installs the filter for this process and all that it starts; cannot be undone. Sockets of netlink
 * are refused unless `netlink` is set, which allows those for routes. Without `ipc`, message queues
 * of POSIX and all objects of System V are refused. `watch` is the second thread of process 1; 0:
 * there is none. 0, or an errno.
 */
int filter_install(bool netlink, bool ipc, pid_t watch);

#endif

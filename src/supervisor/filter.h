/*
 * The system calls that a program may not make, in addition to those that the engine refuses. The
 * filter protects process 1, which has the program's user, and closes parts of the kernel that
 * no program needs. A refused call gets an errno, so that programs can fall back.
 */
#ifndef SUPERVISOR_FILTER_H
#define SUPERVISOR_FILTER_H

#include <stdbool.h>

/*
 * Installs the filter for this process and all that it starts; cannot be undone. Sockets of netlink
 * are refused unless `netlink` is set, which allows those for routes. 0, or an errno.
 */
int filter_install(bool netlink);

#endif

/*
 * Which kernel this is.
 */
#ifndef SUPERVISOR_KERNEL_H
#define SUPERVISOR_KERNEL_H

#include <stdbool.h>

/* Whether it is gVisor's, a program on the host that answers system calls itself. */
bool kernel_is_gvisor(void);

#endif

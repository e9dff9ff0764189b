/*
 * A helper: a process next to process 1 that does what process 1 must not, such as to open a
 * socket. It is forked and executes no file, has nothing of the state of process 1, and is joined
 * to it by two pipes. Knows nothing of what it does.
 */
#ifndef SUPERVISOR_HELPER_H
#define SUPERVISOR_HELPER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * Makes both pipes: to[1] and from[0] are those of process 1 and do not block. False: errno says
 * why, and nothing is open.
 */
bool helper_open_pipes(int to[2], int from[2]);

/*
 * As fork(2). The new process does not get the memory `own` (supervisor/own_memory.h): what it
 * needs is in variables of the caller.
 */
pid_t helper_fork(void *own, size_t own_size);

/* In the new process: closes everything that process 1 has but these descriptors. */
void helper_close_others(const int *kept, size_t count);

#endif

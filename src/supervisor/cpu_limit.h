/*
 * The limit of CPU time. The kernel has no such limit for all processes of a container
 * (RLIMIT_CPU is one for each process), so the container's figure is read at intervals.
 * Processes that ended are in it. N cores use at most N seconds in a second, so nothing is missed
 * by waiting for the Nth part of what is left.
 */
#ifndef SUPERVISOR_CPU_LIMIT_H
#define SUPERVISOR_CPU_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

struct cpu_limit {
    int timer;       /* owned; it is over when the limit is to be checked again */
    uint64_t cores;  /* of the machine */
    uint64_t max_us; /* 0: no limit */
};

/* Opens the timer. False: the kernel refuses it. */
bool cpu_limit_open(struct cpu_limit *limit);

/* Whether there is a limit, and this is more; FRAME_UNKNOWN is not. */
bool cpu_limit_is_exceeded(const struct cpu_limit *limit, uint64_t used_us);

/* The timer is off. */
void cpu_limit_pause(const struct cpu_limit *limit);

/* Sets the timer for the next check, after `least_us` at the earliest. */
void cpu_limit_continue(const struct cpu_limit *limit, uint64_t used_us, uint64_t least_us);

#endif

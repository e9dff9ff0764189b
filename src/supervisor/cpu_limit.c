#define _GNU_SOURCE /* cpu_set_t */
#include "supervisor/cpu_limit.h"

#include <sched.h>
#include <sys/timerfd.h>

#include "base/timer.h"
#include "supervisor/protocol.h"

/* That the container may use; of more than fit into the set, as many as that. */
static uint64_t count_cores(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? (uint64_t)CPU_COUNT(&set) : CPU_SETSIZE;
}

bool cpu_limit_open(struct cpu_limit *limit)
{
    limit->max_us = 0;
    limit->cores = count_cores();
    limit->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    return limit->timer >= 0;
}

bool cpu_limit_is_exceeded(const struct cpu_limit *limit, uint64_t used_us)
{
    return limit->max_us > 0 && used_us != FRAME_UNKNOWN && used_us > limit->max_us;
}

void cpu_limit_pause(const struct cpu_limit *limit)
{
    timer_set_us(limit->timer, 0);
}

void cpu_limit_continue(const struct cpu_limit *limit, uint64_t used_us, uint64_t least_us)
{
    const uint64_t left = used_us == FRAME_UNKNOWN ? 0 : (limit->max_us - used_us) / limit->cores;

    timer_set_us(limit->timer, left > least_us ? left : least_us);
}

#include "supervisor/cpu_limit.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include "base/timer.h"
#include "supervisor/protocol.h"

bool cpu_limit_open(struct cpu_limit *limit)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);

    limit->max_us = 0;
    limit->cores = cores > 0 ? (uint64_t)cores : 1;
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

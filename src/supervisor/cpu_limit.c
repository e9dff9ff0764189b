#include "supervisor/cpu_limit.h"

#include <sys/timerfd.h>
#include <unistd.h>

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

static void set_timer(const struct cpu_limit *limit, uint64_t us)
{
    const struct itimerspec once = {
        .it_value = {(time_t)(us / 1000000), (long)(us % 1000000) * 1000}};

    timerfd_settime(limit->timer, 0, &once, NULL);
}

void cpu_limit_pause(const struct cpu_limit *limit)
{
    set_timer(limit, 0);
}

void cpu_limit_continue(const struct cpu_limit *limit, uint64_t used_us, uint64_t least_us)
{
    const uint64_t left = used_us == FRAME_UNKNOWN ? 0 : (limit->max_us - used_us) / limit->cores;

    set_timer(limit, left > least_us ? left : least_us);
}

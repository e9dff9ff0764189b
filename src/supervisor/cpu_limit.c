#define _GNU_SOURCE
#include <sys/timerfd.h>
#include <unistd.h>

#include "supervisor/supervisor_state.h"

/*
 * The limit of CPU time. The kernel has no such limit for all processes of a container
 * (RLIMIT_CPU is one for each process), so the container's figure is read at intervals.
 * Processes that ended are in it. N cores use at most N seconds in a second, so nothing is missed
 * by waiting for the Nth part of what is left.
 */

/* The shortest time between two looks, so that a program that waits at its limit costs little. */
enum { INTERVAL_MIN_US = 10000, INTERVAL_BETWEEN_MIN_US = 250000 };

static void set_timer(const struct supervisor *supervisor, uint64_t us)
{
    const struct itimerspec once = {
        .it_value = {(time_t)(us / 1000000), (long)(us % 1000000) * 1000}};

    timerfd_settime(supervisor->cpu_timer, 0, &once, NULL);
}

bool cpu_limit_open(struct supervisor *supervisor)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);

    supervisor->cores = cores > 0 ? (uint64_t)cores : 1;
    supervisor->cpu_timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    return supervisor->cpu_timer >= 0;
}

struct usage cpu_limit_usage(const struct supervisor *supervisor)
{
    return (struct usage){.cpu_us = figures_cpu_us(&supervisor->figures),
                          .own_cpu_us = figures_own_cpu_us(),
                          .oom_kills = figures_oom_kills(&supervisor->figures),
                          .memory_full = figures_memory_full(&supervisor->figures),
                          .refused = figures_refused_processes(&supervisor->figures)};
}

uint64_t cpu_limit_used_us(const struct supervisor *supervisor)
{
    const uint64_t own = figures_own_cpu_us() - supervisor->before.own_cpu_us;
    const uint64_t all =
        figures_difference(figures_cpu_us(&supervisor->figures), supervisor->before.cpu_us);

    return figures_difference(all, own);
}

bool cpu_limit_is_exceeded(const struct supervisor *supervisor, uint64_t used_us)
{
    return supervisor->run.cpu_max_us > 0 && used_us != FRAME_UNKNOWN &&
           used_us > supervisor->run.cpu_max_us;
}

static void take_cpu_timer(void *context, int number)
{
    (void)number;
    cpu_limit_check(context);
}

void cpu_limit_watch(struct supervisor *supervisor, struct loop *loop)
{
    loop_add(loop, supervisor->cpu_timer, POLLIN, take_cpu_timer, supervisor, 0);
}

/* Whether processes of the last request may be running, and no other one has begun yet. */
static bool is_between(const struct supervisor *supervisor)
{
    return supervisor->left_processes &&
           (supervisor->state == STATE_ENDED || supervisor->state == STATE_COLLECTING ||
            supervisor->state == STATE_WAITING || supervisor->state == STATE_LOADING);
}

void cpu_limit_check(struct supervisor *supervisor)
{
    const bool between = is_between(supervisor);
    const uint64_t least = between ? INTERVAL_BETWEEN_MIN_US : INTERVAL_MIN_US;
    uint64_t used, left;

    set_timer(supervisor, 0);
    if ((!between && !supervisor_runs(supervisor)) || supervisor->run.cpu_max_us == 0)
        return;
    used = cpu_limit_used_us(supervisor);
    if (cpu_limit_is_exceeded(supervisor, used)) {
        if (between)
            supervisor_leave(supervisor, 0);
        ending_begin(supervisor, FRAME_CAUSE_CPU);
        return;
    }
    left = used == FRAME_UNKNOWN ? 0 : (supervisor->run.cpu_max_us - used) / supervisor->cores;
    set_timer(supervisor, left > least ? left : least);
}

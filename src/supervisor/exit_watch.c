#define _GNU_SOURCE
#include "supervisor/exit_watch.h"

#include <stdio.h>
#include <sys/timerfd.h>
#include <sys/wait.h>

#include "base/timer.h"
#include "supervisor/descriptors.h"
#include "supervisor/proc_stat.h"

/*
 * A look takes about 10 microseconds. They become rarer as the program runs longer: after more than
 * a second most of them come too late.
 */
enum { CHECK_MIN_US = 100, CHECK_PART = 16 };

enum { FLAG_EXITING = 4 }; /* PF_EXITING: include/linux/sched.h of the kernel */

void exit_watch_open(struct exit_watch *watch)
{
    watch->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    watch->stat = -1;
}

void exit_watch_stop(struct exit_watch *watch)
{
    if (watch->stat >= 0)
        timer_set_us(watch->timer, 0);
    descriptor_close(&watch->stat);
}

/* Whether the status need not be taken from here. */
static bool can_be_reaped(const struct exit_watch *watch)
{
    siginfo_t info = {.si_pid = 0};

    return waitid(P_PID, (id_t)watch->pid, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) == 0 &&
           info.si_pid != 0;
}

static bool has_left_memory(const struct exit_watch *watch)
{
    uint64_t limit;

    return !figures_memory_limit(watch->figures, &limit) ||
           figures_current_bytes(watch->figures) < limit / 2;
}

void exit_watch_begin(struct exit_watch *watch, int proc, pid_t pid, const struct figures *figures,
                      uint64_t processes)
{
    struct proc_stat stat;
    char name[32];

    exit_watch_stop(watch);
    if (watch->timer < 0)
        return;
    watch->pid = pid;
    watch->figures = figures;
    watch->processes = processes;
    snprintf(name, sizeof name, "%d", (int)pid);
    watch->stat = proc_stat_open(proc, name);
    watch->begun_us = figures_clock_us();
    watch->shows_status = false;
    if (watch->stat < 0)
        return;
    /* the kernel takes memory for a file at the first reading, which may be short later */
    proc_stat_read(watch->stat, &stat);
    figures_processes(figures);
    has_left_memory(watch);
    timer_set_us(watch->timer, CHECK_MIN_US);
}

bool exit_watch_check(struct exit_watch *watch, int *status)
{
    const uint64_t passed_us = figures_clock_us() - watch->begun_us;
    const uint64_t wait_us = passed_us / CHECK_PART;
    struct proc_stat stat;

    if (watch->stat < 0)
        return false;
    if (!proc_stat_read(watch->stat, &stat) || !stat.is_complete) {
        exit_watch_stop(watch);
        return false;
    }
    timer_set_us(watch->timer, wait_us > CHECK_MIN_US ? wait_us : CHECK_MIN_US);
    if (stat.fields[PROC_STAT_MEMORY] > 0)
        watch->shows_status = stat.fields[PROC_STAT_CODE] > 1;
    if (!watch->shows_status || (stat.fields[PROC_STAT_FLAGS] & FLAG_EXITING) == 0 ||
        stat.fields[PROC_STAT_THREADS] != 1 || stat.fields[PROC_STAT_MEMORY] > 0)
        return false;
    exit_watch_stop(watch);
    *status = (int)stat.fields[PROC_STAT_STATUS];
    return !can_be_reaped(watch) && figures_processes(watch->figures) == watch->processes &&
           has_left_memory(watch);
}

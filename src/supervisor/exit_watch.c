#define _GNU_SOURCE
#include "supervisor/exit_watch.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/timer.h"
#include "supervisor/descriptors.h"

/*
 * A look takes about 10 microseconds. They become rarer as the program runs longer: after more than
 * a second most of them come too late.
 */
enum { CHECK_MIN_US = 100, CHECK_PART = 16 };

/* Fields of proc_pid_stat(5), by their number there. */
enum {
    FIELD_FLAGS = 9,
    FIELD_THREADS = 20,
    FIELD_MEMORY = 23,
    FIELD_CODE = 26, /* where the code of the program begins; 1: the reader may not know it */
    FIELD_STATUS = 52,
    FIELDS
};

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

/* Reads the fields that are numbers, from the fourth on. False: the file has others. */
static bool read_fields(int stat, uint64_t fields[FIELDS])
{
    char text[1024], *at;
    const ssize_t length = pread(stat, text, sizeof text - 1, 0);

    if (length <= 0)
        return false;
    text[length] = '\0';
    at = strrchr(text, ')'); /* the name before may have any bytes */
    if (!at || at[1] != ' ' || at[2] == '\0')
        return false;
    at += 3; /* the state is a letter */
    for (int i = 4; i < FIELDS; i++) {
        char *const before = at;

        fields[i] = strtoull(before, &at, 10);
        if (at == before)
            return false;
    }
    return true;
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
    uint64_t fields[FIELDS];
    char path[32];

    exit_watch_stop(watch);
    if (watch->timer < 0)
        return;
    watch->pid = pid;
    watch->figures = figures;
    watch->processes = processes;
    snprintf(path, sizeof path, "%d/stat", (int)pid);
    watch->stat = openat(proc, path, O_RDONLY | O_CLOEXEC);
    watch->begun_us = figures_clock_us();
    watch->shows_status = false;
    if (watch->stat < 0)
        return;
    /* the kernel takes memory for a file at the first reading, which may be short later */
    read_fields(watch->stat, fields);
    figures_processes(figures);
    has_left_memory(watch);
    timer_set_us(watch->timer, CHECK_MIN_US);
}

bool exit_watch_check(struct exit_watch *watch, int *status)
{
    const uint64_t passed_us = figures_clock_us() - watch->begun_us;
    const uint64_t wait_us = passed_us / CHECK_PART;
    uint64_t fields[FIELDS];

    if (watch->stat < 0)
        return false;
    if (!read_fields(watch->stat, fields)) {
        exit_watch_stop(watch);
        return false;
    }
    timer_set_us(watch->timer, wait_us > CHECK_MIN_US ? wait_us : CHECK_MIN_US);
    if (fields[FIELD_MEMORY] > 0)
        watch->shows_status = fields[FIELD_CODE] > 1;
    if (!watch->shows_status || (fields[FIELD_FLAGS] & FLAG_EXITING) == 0 ||
        fields[FIELD_THREADS] != 1 || fields[FIELD_MEMORY] > 0)
        return false;
    exit_watch_stop(watch);
    *status = (int)fields[FIELD_STATUS];
    return !can_be_reaped(watch) && figures_processes(watch->figures) == watch->processes &&
           has_left_memory(watch);
}

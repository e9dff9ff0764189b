#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/entries.h"
#include "supervisor/supervisor_state.h"

/*
 * The end of a cell, whose interpreter stays, and of a program whose processes stay.
 *
 * At the end of a cell everything is stopped, so that nothing more is written and no process is
 * started; then all but the interpreter are killed. Processes can continue each other, so this is
 * repeated until the interpreter is seen to have stopped, and after that no other process is there.
 * Its children that have ended remain as zombies until it continues. If this does not succeed in
 * time everything is killed, and with it the interpreter.
 */

enum { SETTLE_MAX_US = 5000000, SETTLE_WAIT_MS = 2 };

/* Bytes that are in a pipe now. */
static uint64_t pending(int fd)
{
    int bytes = 0;

    return fd >= 0 && ioctl(fd, FIONREAD, &bytes) == 0 && bytes > 0 ? (uint64_t)bytes : 0;
}

void settling_begin(struct supervisor *supervisor)
{
    const bool keeps = supervisor_keeps_processes(supervisor);
    const uint64_t now = figures_clock_us();

    supervisor->state = STATE_SETTLING;
    supervisor->settled = keeps;
    supervisor->settle_end_us = now + SETTLE_MAX_US;
    if (!supervisor->reaped)
        supervisor->end.wall_us = now - supervisor->program.start_us;
    for (int i = 0; i < 2; i++)
        supervisor->output_left[i] = keeps ? pending(supervisor->program.out[i]) : UINT64_MAX;
    if (!keeps)
        ending_signal(supervisor, SIGSTOP);
}

/* Whether all threads of the interpreter have stopped. Takes its resident set then. */
static bool is_stopped(struct supervisor *supervisor)
{
    const pid_t pid = supervisor->program.pid;
    siginfo_t info = {.si_pid = 0};
    struct rusage usage;
    uint64_t rss_bytes;

    if (syscall(SYS_waitid, P_PID, pid, &info, WSTOPPED | WNOHANG | WNOWAIT, &usage) != 0 ||
        info.si_pid != pid)
        return false;
    rss_bytes = (uint64_t)usage.ru_maxrss * 1024;
    if (rss_bytes > supervisor->end.used_bytes)
        supervisor->end.used_bytes = rss_bytes;
    return true;
}

/* What /proc/PID/stat says of a process: proc_pid_stat(5). False: there is none any more. */
static bool read_stat(const struct supervisor *supervisor, const char *pid, char *state,
                      long *group)
{
    char path[32], text[512];
    const char *end;
    ssize_t length;
    int fd;

    snprintf(path, sizeof path, "%s/stat", pid);
    fd = openat(supervisor->proc, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno != ENOENT && errno != ESRCH;
    length = read(fd, text, sizeof text - 1);
    close(fd);
    if (length <= 0)
        return false;
    text[length] = '\0';
    end = strrchr(text, ')'); /* the name before may have any bytes */
    if (end && end[1] == ' ' && end[2] != '\0') {
        char *after;

        *state = end[2];
        strtol(end + 3, &after, 10); /* its parent */
        *group = strtol(after, NULL, 10);
    }
    return true;
}

/* Whether a process other than the interpreter is alive that may not stay. */
static bool is_other(const struct supervisor *supervisor, const char *name)
{
    const long pid = strtol(name, NULL, 10);
    char state = '?';
    long group = supervisor->program.pid;

    return name[0] >= '1' && name[0] <= '9' && pid != getpid() && pid != supervisor->program.pid &&
           read_stat(supervisor, name, &state, &group) && state != 'Z' && state != 'X' &&
           (supervisor->is_init || group == supervisor->program.pid); /* in tests */
}

/* Kills all of them that there are. False: there are none. */
static bool kill_others(const struct supervisor *supervisor)
{
    struct entries entries;
    struct entry entry;
    bool others = false;
    int found;

    entries_open(&entries, supervisor->proc);
    while ((found = entries_next(&entries, &entry)) > 0)
        if (is_other(supervisor, entry.name)) {
            others = true;
            kill((pid_t)strtol(entry.name, NULL, 10), SIGKILL);
        }
    return others || found < 0;
}

/* Whether only the interpreter is alive, and has stopped. */
static bool settle(struct supervisor *supervisor)
{
    const bool stopped = is_stopped(supervisor);

    if (!kill_others(supervisor) && stopped) {
        supervisor->settled = supervisor->cell.stopped = true;
        return true;
    }
    if (figures_clock_us() >= supervisor->settle_end_us)
        ending_begin(supervisor, FRAME_CAUSE_ITSELF);
    else if (!stopped)
        kill(supervisor->program.pid, SIGSTOP);
    return false;
}

/* Whether bytes of a stream are still to be sent. */
static bool is_writing(const struct supervisor *supervisor, int stream)
{
    const int fd = supervisor->program.out[stream];

    return fd >= 0 && supervisor->output_left[stream] > 0 && !ending_is_drained(fd);
}

/* Takes a stream whose program has ended. The oldest one is closed if there are too many. */
static void take_sink(struct supervisor *supervisor, int *fd)
{
    int slot = supervisor->sink_next;

    for (int i = 0; i < SINKS_MAX; i++)
        if (supervisor->sinks[i] < 0)
            slot = i;
    if (supervisor->sinks[slot] >= 0)
        supervisor->sink_next = (slot + 1) % SINKS_MAX;
    streams_close(&supervisor->sinks[slot]);
    supervisor->sinks[slot] = *fd;
    *fd = -1;
}

void settling_finish(struct supervisor *supervisor)
{
    struct program *program = &supervisor->program;

    if (supervisor->reaped && !supervisor_keeps_processes(supervisor)) {
        ending_begin(supervisor, FRAME_CAUSE_ITSELF);
        return;
    }
    if ((!supervisor->settled && !settle(supervisor)) || is_writing(supervisor, 0) ||
        is_writing(supervisor, 1))
        return;
    cpu_limit_check(supervisor);
    if (supervisor->state != STATE_SETTLING)
        return;
    streams_close(&program->in);
    for (int i = 0; i < 2; i++)
        if (supervisor->reaped && program->out[i] >= 0)
            take_sink(supervisor, &program->out[i]);
    ending_report(supervisor);
}

/* Whether what the interpreter writes belongs to no cell. */
static bool is_between(const struct supervisor *supervisor)
{
    return supervisor->cell.exists && !supervisor_runs(supervisor) &&
           supervisor->state != STATE_ENDING;
}

/* ---- what the loop calls */

static void discard_sink(void *context, int number)
{
    struct supervisor *supervisor = context;

    streams_discard(&supervisor->sinks[number]);
}

static void discard_output(void *context, int stream)
{
    struct supervisor *supervisor = context;

    if (is_between(supervisor))
        streams_discard(&supervisor->program.out[stream]);
}

void settling_watch(struct supervisor *supervisor, struct loop *loop)
{
    for (int i = 0; i < SINKS_MAX; i++)
        loop_add(loop, supervisor->sinks[i], POLLIN, discard_sink, supervisor, i);
    for (int i = 0; i < 2 && is_between(supervisor); i++)
        loop_add(loop, supervisor->program.out[i], POLLIN, discard_output, supervisor, i);
    if (supervisor->state == STATE_SETTLING && !supervisor->settled)
        loop_limit(loop, SETTLE_WAIT_MS);
}

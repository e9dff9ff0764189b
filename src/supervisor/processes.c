#define _GNU_SOURCE
#include "supervisor/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/entries.h"

void processes_open(struct processes *processes, const struct program *program)
{
    processes->program = program;
    processes->is_init = getpid() == 1;
    processes->proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

void processes_signal(const struct processes *processes, int number)
{
    const struct program *program = processes->program;

    if (processes->is_init) {
        kill(-1, number);
    } else if (program->pid > 0) { /* in tests */
        kill(-program->pid, number);
        if (!program->reaped) /* it may not lead its group yet */
            kill(program->pid, number);
    }
}

void processes_kill(const struct processes *processes)
{
    processes_signal(processes, SIGKILL);
}

bool processes_are_gone(const struct processes *processes)
{
    siginfo_t ignored;

    if (waitid(P_ALL, 0, &ignored, WEXITED | WNOHANG | WNOWAIT | __WALL) < 0 && errno == ECHILD)
        return true;
    processes_kill(processes);
    return false;
}

/* What /proc/PID/stat says of a process: proc_pid_stat(5). False: there is none any more. */
static bool read_stat(const struct processes *processes, const char *pid, char *state, long *group)
{
    char path[64], text[512];
    const char *end;
    ssize_t length;
    int fd;

    snprintf(path, sizeof path, "%s/stat", pid);
    fd = openat(processes->proc, path, O_RDONLY | O_CLOEXEC);
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

/* Whether a process other than this one is alive. */
static bool is_alive(const struct processes *processes, const char *name)
{
    const pid_t program = processes->program->pid;
    char state = '?';
    long group = program;

    return name[0] >= '1' && name[0] <= '9' && strtol(name, NULL, 10) != getpid() &&
           read_stat(processes, name, &state, &group) && state != 'Z' && state != 'X' &&
           (processes->is_init || group == program);
}

/* Whether a process other than the program is alive. */
static bool is_other(const struct processes *processes, const char *name)
{
    return strtol(name, NULL, 10) != processes->program->pid && is_alive(processes, name);
}

/* Whether all threads of a process sleep. */
static bool threads_sleep(const struct processes *processes, const char *pid)
{
    struct entries entries;
    struct entry entry;
    char path[64], state;
    bool sleep = true;
    long group;
    int fd;

    snprintf(path, sizeof path, "%.20s/task", pid);
    fd = openat(processes->proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    entries_open(&entries, fd);
    while (sleep && entries_next(&entries, &entry) > 0) {
        state = 'R'; /* if its file cannot be read */
        snprintf(path, sizeof path, "%.20s/task/%.20s", pid, entry.name);
        sleep = !read_stat(processes, path, &state, &group) || state == 'S';
    }
    close(fd);
    return sleep;
}

bool processes_sleep(const struct processes *processes)
{
    struct entries entries;
    struct entry entry;
    bool found = false;

    entries_open(&entries, processes->proc);
    while (entries_next(&entries, &entry) > 0) {
        if (!is_alive(processes, entry.name))
            continue;
        if (!threads_sleep(processes, entry.name))
            return false;
        found = true;
    }
    return found;
}

bool processes_kill_others(const struct processes *processes)
{
    struct entries entries;
    struct entry entry;
    bool others = false;
    int found;

    entries_open(&entries, processes->proc);
    while ((found = entries_next(&entries, &entry)) > 0)
        if (is_other(processes, entry.name)) {
            others = true;
            kill((pid_t)strtol(entry.name, NULL, 10), SIGKILL);
        }
    return others || found < 0;
}

bool processes_have_stopped(const struct processes *processes, uint64_t *rss_bytes)
{
    const pid_t pid = processes->program->pid;
    siginfo_t info = {.si_pid = 0};
    struct rusage usage;

    if (syscall(SYS_waitid, P_PID, pid, &info, WSTOPPED | WNOHANG | WNOWAIT, &usage) != 0 ||
        info.si_pid != pid)
        return false;
    *rss_bytes = (uint64_t)usage.ru_maxrss * 1024; /* in KiB: getrusage(2) */
    return true;
}

#define _GNU_SOURCE
#include "supervisor/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/entries.h"
#include "supervisor/proc_stat.h"

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

/*
 * Reads what the kernel says of a process or of a thread. False: it has ended. What cannot be read
 * for another reason is not complete.
 */
static bool read_stat(const struct processes *processes, const char *path, struct proc_stat *stat)
{
    const int fd = proc_stat_open(processes->proc, path);
    bool found;

    *stat = (struct proc_stat){.state = '?'};
    if (fd < 0)
        return errno != ENOENT && errno != ESRCH;
    found = proc_stat_read(fd, stat);
    close(fd);
    return found;
}

/* Whether a process other than this one is alive. */
static bool is_alive(const struct processes *processes, const char *name)
{
    struct proc_stat stat;

    return name[0] >= '1' && name[0] <= '9' && strtol(name, NULL, 10) != getpid() &&
           read_stat(processes, name, &stat) && stat.state != 'Z' && stat.state != 'X' &&
           (processes->is_init || !stat.is_complete ||
            (pid_t)stat.fields[PROC_STAT_GROUP] == processes->program->pid);
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
    struct proc_stat stat;
    char path[64];
    bool sleep = true;
    int fd;

    snprintf(path, sizeof path, "%.20s/task", pid);
    fd = openat(processes->proc, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return false;
    entries_open(&entries, fd);
    while (sleep && entries_next(&entries, &entry) > 0) {
        snprintf(path, sizeof path, "%.20s/task/%.20s", pid, entry.name);
        sleep = !read_stat(processes, path, &stat) || stat.state == 'S';
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
        if (is_other(processes, entry.name) &&
            (kill((pid_t)strtol(entry.name, NULL, 10), SIGKILL) == 0 || errno != EPERM))
            others = true;
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

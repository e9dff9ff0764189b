/*
 * Notices that a program has ended before the kernel tells it with SIGCHLD. That comes when all
 * memory of the process was freed, which takes from half a millisecond for Python to several for an
 * interpreter with many modules. So from the program's start on its file in /proc is read again and
 * again: proc_pid_stat(5). A process whose only thread is exiting and has no memory any more runs
 * nothing of its own, and what it has written is in its pipes and in the files of a container.
 * Without the file, or if it does not say enough, SIGCHLD comes all the same.
 *
 * The status is shown only to a process that may trace this one: of the same user, which neither
 * has the right to change its user nor gets it by exec. While it has memory, another field tells
 * whether it is shown.
 */
#ifndef SUPERVISOR_EXIT_WATCH_H
#define SUPERVISOR_EXIT_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "supervisor/figures.h"

struct exit_watch {
    int timer; /* owned; it is over when it is time to look; -1: there is none */
    int stat;  /* owned: /proc/PID/stat of the program; -1: nothing is watched */
    pid_t pid;
    const struct figures *figures;
    uint64_t processes;
    uint64_t begun_us;
    bool shows_status; /* as far as the last look could tell */
};

void exit_watch_open(struct exit_watch *watch);

/*
 * Watches a process from now on; `proc` is a descriptor of /proc. The container has so many
 * `processes` and threads as long as this process and that one are alone; `figures` are borrowed
 * until the watch stops.
 */
void exit_watch_begin(struct exit_watch *watch, int proc, pid_t pid, const struct figures *figures,
                      uint64_t processes);

void exit_watch_stop(struct exit_watch *watch);

/*
 * Looks, and sets the timer for the next time. True: the process has ended with this status of
 * wait(2), cannot be reaped yet, is alone, and has left memory for what this process does before
 * its own is freed. After its end, also without all that, it is watched no longer.
 */
bool exit_watch_check(struct exit_watch *watch, int *status);

#endif

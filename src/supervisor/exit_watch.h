/*
 * Notices that a program has ended before the kernel tells it with SIGCHLD. That comes when all
 * memory of the process was freed, which takes from half a millisecond for Python to several
 * for an interpreter with many modules. So from the program's start on its file in /proc is read
 * again and again: proc_pid_stat(5). A process whose threads are exiting and have no memory any
 * more runs nothing of its own, and what it has written is in its pipes and files. Without the
 * file, or if it does not say enough, SIGCHLD comes all the same.
 */
#ifndef SUPERVISOR_EXIT_WATCH_H
#define SUPERVISOR_EXIT_WATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct exit_watch {
    int timer; /* owned; it is over when it is time to look; -1: there is none */
    int stat;  /* owned: /proc/PID/stat of the program; -1: nothing is watched */
    int proc;  /* borrowed: /proc */
    pid_t pid;
    uint64_t begun_us;
    bool shows_status; /* the file has shown what only those may read who may read the status */
};

void exit_watch_open(struct exit_watch *watch);

/* Watches a process from now on; `proc` is a descriptor of /proc. */
void exit_watch_begin(struct exit_watch *watch, int proc, pid_t pid);

void exit_watch_stop(struct exit_watch *watch);

struct exit_watch_end {
    int status;       /* as of wait(2) */
    uint64_t threads; /* of the process, which the kernel still counts */
};

/*
 * Looks, and sets the timer for the next time. True: the process has ended, and is watched no
 * longer. It may have children that go on.
 */
bool exit_watch_look(struct exit_watch *watch, struct exit_watch_end *end);

#endif

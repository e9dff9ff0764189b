/*
 * The processes of the container: all but this one, which is process 1. In tests it is not, and
 * then they are those of the program's process group.
 */
#ifndef SUPERVISOR_PROCESSES_H
#define SUPERVISOR_PROCESSES_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/program.h"

struct processes {
    const struct program *program; /* borrowed */
    int proc;                      /* /proc; owned; -1: it cannot be opened */
    bool is_init;                  /* this is process 1 */
};

void processes_open(struct processes *processes, const struct program *program);

/* Sends a signal to each, and kills each. */
void processes_signal(const struct processes *processes, int number);
void processes_kill(const struct processes *processes);

/* Whether none is left. Those that are not reaped yet are killed once more. */
bool processes_are_gone(const struct processes *processes);

/* Whether all their threads sleep, as far as the kernel says; false if there are none. */
bool processes_sleep(const struct processes *processes);

/*
 * Kills all but the program. False: there are no others, except for those of other users, such as
 * the client of a workspace.
 */
bool processes_kill_others(const struct processes *processes);

/* Whether all threads of the program have stopped; then `rss_bytes` is its largest resident set. */
bool processes_have_stopped(const struct processes *processes, uint64_t *rss_bytes);

#endif

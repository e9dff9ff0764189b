/*
 * A process in the background that keeps the engine clean for the program that started it, and outlives it
 * where it must. It
 *
 * - removes at its start what others have left behind (GC_ONE_PASS);
 * - tries again to remove the containers that the engine would not remove when they were given up;
 * - removes all containers of the program where that ends without a word, killed by SIGKILL, say: also one
 *   that has no lifeline, since it was not started yet or has no gate, and those that the engine yet finishes
 *   to create.
 *
 * It is told by a pipe, whose end tells it that the program has ended. It has nothing open but that, and a
 * session of its own. The program waits for none of its work.
 */
#ifndef SERVICE_REAPER_H
#define SERVICE_REAPER_H

#include <stdatomic.h>
#include <sys/types.h>

#include "docker/docker.h"

struct reaper {
    int fd;             /* the pipe to it; -1: there is none */
    pid_t pid;          /* -1: likewise */
    atomic_bool needed; /* something was given up */
};

/*
 * Starts it; before the first thread of the process. From here on docker->not_removed leads to it. Where the host
 * refuses a process or a pipe all goes on without: then the next to start sweeps.
 */
void reaper_start(struct reaper *reaper, struct docker *docker);

/*
 * Tells it that nothing of the program is left but the containers that could not be removed, which it tries
 * a few times more. Nobody may use `docker` meanwhile; afterwards it has no reaper.
 */
void reaper_dismiss(struct reaper *reaper, struct docker *docker);

#endif

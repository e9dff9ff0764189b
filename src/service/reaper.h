/*
 * The reaper: a background process that removes containers for the program that started it, and
 * that outlives the program if necessary. It
 *
 * - removes orphans of other programs when it starts (GC_ONE_PASS);
 * - retries to remove containers that the engine refused to remove, while it answers;
 * - removes all containers of the program if the program ends without dismissing it, killed by
 *   SIGKILL for example. These include containers without a lifeline, since they were not started
 *   yet, and those whose creation the engine completes later.
 *
 * If the program has never reached the engine (docker_never_reached()), it has created nothing that
 * it knows of; but the engine may have been lost right after the first creation. So the reaper is
 * told the name even then, and decides by what it knows itself: it has listed the containers when
 * the program started. If it could not reach the engine either, it forgets the name, and ends with
 * the program. A wrong guess would need an engine that was unreachable before the creation and
 * after it, and not during it; the lifeline then ends the container, and the next reaper or
 * `isolator gc` removes it.
 *
 * The program writes to it through a pipe, and the end of the pipe means that the program has
 * ended. The program does not wait for its work (base/background.h).
 */
#ifndef SERVICE_REAPER_H
#define SERVICE_REAPER_H

#include <stdatomic.h>

#include "base/background.h"
#include "docker/docker.h"

struct reaper {
    struct background process;
    atomic_bool needed;          /* a container was not removed */
    const struct docker *docker; /* of the program; borrowed */
};

/*
 * Starts the process, before the first thread of the program, and has docker->not_removed report to
 * it. If the host refuses a process or a pipe, there is no reaper; the reaper of the next program
 * removes orphans.
 */
void reaper_start(struct reaper *reaper, struct docker *docker);

/*
 * Tells the process that the program ends normally. It then retries a few times to remove the
 * containers that were not removed, and exits. No other thread may use `docker` meanwhile;
 * afterwards it has no reaper.
 */
void reaper_dismiss(struct reaper *reaper, struct docker *docker);

#endif

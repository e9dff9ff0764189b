/*
 * Removing containers that nobody looks after any more.
 */
#ifndef SANDBOX_SWEEP_H
#define SANDBOX_SWEEP_H

#include "docker/docker.h"

/*
 * For a process that has to end while the engine is still at work for it: starts another one in the
 * background, with nothing open, that removes what containers of the caller there are and those which
 * the engine yet finishes to create, until there was none for as long as the engine may take for a run,
 * but ten seconds at least (six times that at most). Everything else of the caller's ends with the
 * caller. Does nothing where no process can be started.
 */
void sweep_behind(const struct docker *docker);

#endif

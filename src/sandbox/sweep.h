/*
 * Removing containers that nobody looks after any more.
 */
#ifndef SANDBOX_SWEEP_H
#define SANDBOX_SWEEP_H

#include <stdbool.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/strvec.h"
#include "docker/docker.h"
#include "sandbox/owner.h"

/* A container that was left behind. All borrowed, and good during the report. */
struct leftover {
    const char *name;
    const char *host;  /* of its owner; escaped */
    const char *pid;   /* likewise */
    const char *state; /* docker's words, for people: "Created", "Up 3 minutes"; escaped */
    enum owner_verdict verdict;
    const char *failure; /* why it could not be removed; NULL: it was, or has not been tried */
};

typedef void sweep_report(void *context, const struct leftover *leftover);

enum sweep_how {
    SWEEP_LIST,       /* only reports */
    SWEEP_IN_PASSING, /* one attempt for each, all together within half of the engine's time */
    SWEEP_INSIST      /* removes as container_remove() does */
};

/*
 * Finds each container of isolator whose owner has ended without removing it, or whose time is long over where
 * the owner cannot be looked up, removes it and reports it (to NULL: does not). Those of live owners are never
 * touched. Returns how many it found; -1: the engine does not say all that there is, or the handle (which may be
 * NULL) was raised, after which nothing more is removed.
 */
int sweep_leftovers(const struct docker *docker, enum sweep_how how, sweep_report *report,
                    void *context, const struct cancel *cancel, struct error *error);

/*
 * For the containers of a process that has ended while the engine may still be at work for it: removes those
 * with these labels that there are, and those which the engine yet finishes to create, until there was none
 * for as long as the engine may take for a run, but ten seconds at least (six times that at most).
 */
void sweep_until_quiet(const struct docker *docker, const struct strvec *labels);

#endif

/*
 * Removing containers that nobody looks after any more.
 */
#ifndef SERVICE_GC_H
#define SERVICE_GC_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "base/strvec.h"
#include "docker/docker.h"
#include "run/owner.h"

/* A container that was left behind. All borrowed, and good during the report. */
struct orphan {
    const char *name;
    const char *host;  /* of its owner; escaped */
    const char *pid;   /* likewise */
    const char *state; /* docker's words, for people: "Created", "Up 3 minutes"; escaped */
    enum owner_status status;
    const char *failure; /* why it could not be removed; NULL: it was, or has not been tried */
};

typedef void gc_report(void *context, const struct orphan *orphan);

enum gc_mode {
    GC_LIST,      /* only reports */
    GC_ONE_PASS,  /* one attempt for each, all together within half of the engine's time */
    GC_UNTIL_GONE /* removes as container_remove() does */
};

/*
 * Finds each container of isolator whose owner has ended without removing it, or whose time is long over where
 * the owner cannot be looked up, removes it and reports it (to NULL: does not). Those of live owners are never
 * touched. Returns how many it found; -1: the engine does not say all that there is, or the handle (which may be
 * NULL) was raised, after which nothing more is removed.
 */
int gc_collect(const struct docker *docker, enum gc_mode how, gc_report *report, void *context,
               const struct notifier *cancel, struct error *error);

/*
 * For the containers of a process that has ended while the engine may still be at work for it: removes those
 * with these labels that there are, and those which the engine yet finishes to create, until there was none
 * for as long as the engine may take for a run, but ten seconds at least (six times that at most).
 */
void gc_until_quiet(const struct docker *docker, const struct strvec *labels);

#endif

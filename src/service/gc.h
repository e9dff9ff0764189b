/*
 * Garbage collection: removes orphans, which are containers of isolator whose owner has ended
 * without removing them.
 */
#ifndef SERVICE_GC_H
#define SERVICE_GC_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "base/strvec.h"
#include "container/owner.h"
#include "docker/docker.h"

/*
 * An orphan, or if its owner is alive (OWNER_ALIVE) the container of a session. All is borrowed,
 * and valid during the report.
 */
struct orphan {
    const char *name;
    const char *host;  /* of its owner; escaped */
    const char *pid;   /* of its owner; escaped */
    const char *state; /* docker's words, for people: "Created", "Up 3 minutes"; escaped */
    enum owner_status status;
    bool expired;        /* a job whose result was not fetched within jobs.keepHours */
    const char *failure; /* why it could not be removed; NULL if that was not tried or succeeded */
};

typedef void gc_report(void *context, const struct orphan *orphan);

enum gc_mode {
    GC_LIST,      /* only reports */
    GC_ONE_PASS,  /* tries once to remove each, all of them within BUDGET_QUERY */
    GC_UNTIL_GONE /* removes each as container_remove() does */
};

/*
 * Finds the orphans on the engine, removes them as `mode` says, and reports each to `report`, which
 * may be NULL. The containers of sessions that are in use are reported too, and left alone. A
 * container whose owner cannot be looked up, on another host for example, is an
 * orphan if its deadline has passed (see owner_status()). Containers of live owners are never
 * touched. A job goes on without its owner: it is an orphan only if it was never started or has
 * expired, belongs to this user, and no other isolator works on it; its file goes with it. Returns
 * how many orphans it found. -1: the engine did not list all containers, or `cancel`, which may be
 * NULL, was raised; then no more are removed.
 */
int gc_collect(const struct docker *docker, enum gc_mode mode, gc_report *report, void *context,
               const struct notifier *cancel, struct error *error);

/*
 * Removes the containers of a process that has ended while the engine may still be creating some
 * for it: those that have these labels now, and those that the engine completes later. Returns
 * after there was none for BUDGET_GC, at least ten seconds, and after six times that in any case.
 */
void gc_until_quiet(const struct docker *docker, const struct strvec *labels);

#endif

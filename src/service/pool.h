/*
 * The pool of warm instances. A thread of the pool makes containers in advance, so that a run can
 * start without waiting for the engine. Each serves one run (container/instance.h). The pool then
 * makes another in its place, and replaces those that are too old or whose container has ended.
 *
 * Nothing depends on the pool: if it is empty, for whatever reason, a run makes an instance of its
 * own. The configuration says how many the pool keeps of each language and how old one may become.
 * If the engine cannot make one, the pool tries again later, with a back-off; if the image is not
 * there, not before a run asks for the language.
 *
 * It also holds the instances that the lines of a batch share, between two of them.
 *
 * Thread-safe. NULL stands for a pool that is always empty.
 */
#ifndef SERVICE_POOL_H
#define SERVICE_POOL_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "config/config.h"
#include "container/instance.h"
#include "docker/docker.h"
#include "request/plan.h"

struct pool;

/*
 * How long a warm instance may be in use. The deadline in its labels allows for it.
 */
enum { POOL_MAX_USE_MS = 3600000 };

enum pool_policy {
    POOL_NONE,
    /*
     * Instances of every language, from a second after pool_start() on: some hosts start a server
     * only to list its tools, and end it at once.
     */
    POOL_AHEAD,
    POOL_ON_DEMAND, /* of each language that a run has asked for */
    POOL_SHARED,    /* none: the pool has those that runs share, and pool_give() returns */
    POOL_ONE_SHOT   /* one for each pool_request(), and none in its place */
};

/*
 * Opens a pool, which makes nothing before pool_start(). Borrows docker, config, `proving` and
 * `ended` until pool_close(), and docker for as long as an instance that came from it exists.
 * `ended` is raised when what pool_end() began is done. Both may be NULL. Returns NULL if the host
 * refuses something.
 */
struct pool *pool_open(const struct docker *docker, const struct config *config,
                       enum pool_policy policy, pthread_mutex_t *proving,
                       const struct notifier *ended, struct error *error);

/* Start making instances, and stop permanently. */
void pool_start(struct pool *pool);
void pool_stop(struct pool *pool);

/* Sets whether the pool pauses: it makes no instances while running programs need the cores. */
void pool_pause(struct pool *pool, bool pause);

/* Requests an instance for the plan. Returns whether one is ready now. */
bool pool_request(struct pool *pool, const struct plan *plan);

/*
 * Takes out an instance that is in every respect what the plan would get, one with these limits if
 * there is one, or else with limits that the caller can change (instance_set_limits()); the caller
 * owns it. NULL: there is none, or the plan's timeout is longer than POOL_MAX_USE_MS. Under
 * POOL_ON_DEMAND this asks for more of them.
 */
struct instance *pool_take(struct pool *pool, const struct plan *plan,
                           const struct container_limits *limits);

/*
 * Returns an instance that was used and may be taken by another run that shares it (run/sharing.h);
 * it is owned by the pool then, which removes the ones that have waited for longest if there are
 * more than `max`. False: the pool is being closed, and the instance is still the caller's.
 */
bool pool_give(struct pool *pool, struct instance *instance, size_t max);

/*
 * Begins the end: no more instances are made or taken, and those that wait are removed. If the
 * engine refuses to remove one, the reaper learns of it as always.
 */
void pool_end(struct pool *pool);

/* Whether what pool_end() began is complete. */
bool pool_has_ended(struct pool *pool);

/* After pool_end(): waits until it is complete, and frees everything. */
void pool_close(struct pool *pool);

#endif

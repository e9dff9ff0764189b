/*
 * Warm instances: containers that a thread of the pool makes beforehand, so that a run which finds one
 * need not wait for the engine. Each serves one run (run/instance.h); the pool makes another in its place,
 * and replaces one that has waited too long or whose container has ended.
 *
 * The pool is a convenience and never a condition: if it has nothing, for whatever reason, runs make an
 * instance of their own. The configuration says how many the pool keeps of each language and how long one
 * waits. If the engine cannot make one, the pool tries again later, with a back-off.
 *
 * Thread-safe. A NULL pool is one that never has anything.
 */
#ifndef SERVICE_POOL_H
#define SERVICE_POOL_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "config/config.h"
#include "config/plan.h"
#include "docker/docker.h"
#include "run/instance.h"

struct pool;

enum pool_policy {
    POOL_NONE,
    POOL_AHEAD,     /* instances of every language, from a second after pool_start() on: hosts start
                       servers to look at them, and end them at once */
    POOL_ON_DEMAND, /* of each language that a run has asked for */
    POOL_ONE_SHOT   /* one for each pool_request(), and none in its place */
};

/*
 * Opens a pool, which makes nothing before pool_start(). Borrows docker, config and `ended` until
 * pool_close(), and docker for as long as an instance that came from it exists. `ended` is raised when
 * what pool_end() began is done; it may be NULL. Returns NULL if the host refuses something.
 */
struct pool *pool_open(const struct docker *docker, const struct config *config,
                       enum pool_policy policy, const struct notifier *ended, struct error *error);

/* Starts to make instances; stops for good. */
void pool_start(struct pool *pool);
void pool_stop(struct pool *pool);

/* Whether making more has to wait, since those who run need the cores. */
void pool_pause(struct pool *pool, bool pause);

/* Asks for an instance for the plan. Returns whether one waits now. */
bool pool_request(struct pool *pool, const struct plan *plan);

/*
 * Takes out an instance that is in every respect what the plan would get; the caller owns it. NULL: there
 * is none, or the plan's timeout is longer than the hour for which a warm instance may be used. Under
 * POOL_ON_DEMAND this asks for more of them.
 */
struct instance *pool_take(struct pool *pool, const struct plan *plan);

/*
 * Begins the end: no more instances are made or taken, and those that wait are removed. If the engine
 * refuses to remove one, the reaper learns of it as always.
 */
void pool_end(struct pool *pool);

/* Whether the end that pool_end() began is complete. */
bool pool_has_ended(struct pool *pool);

/* After pool_end(): waits until it is complete, and frees everything. */
void pool_close(struct pool *pool);

#endif

/*
 * Sandboxes that wait: made beforehand by a thread of its own, so that a request which finds one need
 * not wait for the engine. Each serves one request (run/instance.h); the thread makes another in
 * its place, and replaces one that has waited too long or whose container has ended.
 *
 * The pool is a convenience and never a condition: where it has nothing, for whatever reason, requests
 * run cold. How many it keeps of which language, and how long one waits, the configuration says. Where
 * the engine cannot make one, the pool tries again later, and less often the longer that lasts.
 *
 * Thread-safe. A NULL pool is one that never has anything.
 */
#ifndef SERVICE_POOL_H
#define SERVICE_POOL_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "config/config.h"
#include "config/request.h"
#include "docker/docker.h"
#include "run/instance.h"

struct pool;

enum pool_when {
    POOL_AHEAD, /* of all languages; but it begins a second after the first pool_begin(): hosts start
                      servers to look at them, and end them at once */
    POOL_ON_DEMAND /* of those that were asked for once */
};

/*
 * Opens a pool, which makes nothing until pool_begin(). Borrows docker, config and wake for as long as
 * it is there, and docker for as long as a sandbox is that came from it. `wake` is woken when what
 * pool_end() began is done; it may be NULL. Returns NULL where the host refuses something.
 */
struct pool *pool_open(const struct docker *docker, const struct config *config,
                       enum pool_when when, const struct notifier *wake, struct error *error);

/* From now on sandboxes are made; from now on, and for good, no more. */
void pool_begin(struct pool *pool);
void pool_stop(struct pool *pool);

/* Whether making more has to wait, since the cores are needed by those who run. */
void pool_pause(struct pool *pool, bool paused);

/* Whether pool_take() would find one now. Asks for one, as that does. */
bool pool_waits(struct pool *pool, const struct plan *plan);

/*
 * Takes out a sandbox that is in every respect what the plan would get; the caller owns it. NULL: there
 * is none, or the timeout is longer than the hour for which one that has waited may be used.
 */
struct instance *pool_take(struct pool *pool, const struct plan *plan);

/*
 * Begins the end: no more is made or taken; those that wait are ended and removed. Where the engine refuses
 * that nobody is told, here as before: their labels say whose they were.
 */
void pool_end(struct pool *pool);

/* Whether that is done. */
bool pool_done(struct pool *pool);

/* After pool_end(): waits for it, and frees everything. */
void pool_close(struct pool *pool);

#endif

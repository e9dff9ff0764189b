/*
 * The one way in: a plan becomes a result.
 */
#ifndef SERVICE_EXECUTE_H
#define SERVICE_EXECUTE_H

#include "base/notifier.h"
#include "config/request.h"
#include "docker/docker.h"
#include "run/result.h"
#include "service/pool.h"

/*
 * Runs the plan in a fresh container, one that waits in the pool (which may be NULL) or one of its
 * own, and fills in the result (RESULT_INIT before), whatever happens: a program that fails and an
 * engine that does are results both. Thread-safe: many may run at once. `cancel` may be NULL.
 *
 * The result is complete before the container is removed. With `used` the sandbox is handed over to
 * the caller, who passes it to execute_clean_up() when the result is on its way; *used is NULL where
 * there is nothing left to remove. Where `used` itself is NULL it is removed first. Afterwards no
 * container, volume or file of the run is left, or a warning of the result says which.
 */
void execute(const struct docker *docker, struct pool *warm, const struct plan *plan,
             const struct notifier *cancel, struct result *result, struct instance **used);

/* Removes the used sandbox, which is taken over. -1: the error says what may be left behind. */
int execute_clean_up(struct instance *used, struct error *error);

#endif

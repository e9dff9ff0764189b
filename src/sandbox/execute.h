/*
 * The one way in: a plan becomes a result.
 */
#ifndef SANDBOX_EXECUTE_H
#define SANDBOX_EXECUTE_H

#include "base/cancel.h"
#include "docker/docker.h"
#include "sandbox/request.h"
#include "sandbox/result.h"

/*
 * Runs the plan in a fresh container and fills in the result (RESULT_INIT before), whatever
 * happens: a program that fails and an engine that does are results both. Thread-safe: many may run
 * at once. `cancel` may be NULL. Afterwards no container, volume or file of the run is left, or a
 * warning of the result says which.
 */
void execute(const struct docker *docker, const struct plan *plan, const struct cancel *cancel,
             struct result *result);

#endif

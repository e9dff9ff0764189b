/*
 * Finds out whether the engine enforces limits, by a program (supervisor/probe.h) that uses more
 * memory, and one that starts more processes, than its limits allow: engines only repeat what they
 * were asked for. What was found is remembered (config/enforcement_file.h), for runtime_check().
 */
#ifndef RUN_ENFORCEMENT_PROBE_H
#define RUN_ENFORCEMENT_PROBE_H

#include <pthread.h>

#include "base/error.h"
#include "base/notifier.h"
#include "docker/docker.h"
#include "request/plan.h"

/*
 * Tries the OCI runtime of the plan, in containers of its image. 0: it enforces both limits. 1 with
 * ERROR_ENGINE: it does not, and what was remembered is forgotten. -1 with the error: that cannot
 * be said; or it does, but the file cannot be written, and this process alone remembers it.
 */
int enforcement_probe(const struct docker *docker, const struct plan *plan,
                      const struct notifier *cancel, struct error *error);

/*
 * Tries it if runtime_check() would refuse the plan without that, so that the first run needs
 * no `isolator doctor`. Threads that share `lock` wait for each other; NULL: there are no others.
 * -1 with the error of a run of the plan.
 */
int enforcement_ensure(const struct docker *docker, const struct plan *plan, pthread_mutex_t *lock,
                       const struct notifier *cancel, struct error *error);

#endif

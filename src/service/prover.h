/*
 * Has the engine of a server prove once that it enforces limits (run/enforcement_probe.h), before
 * the first container that could be refused otherwise (container/runtime_check.h): a server has
 * no one who would run `isolator doctor`.
 */
#ifndef SERVICE_PROVER_H
#define SERVICE_PROVER_H

#include <pthread.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "docker/docker.h"
#include "request/plan.h"

struct prover {
    bool proves; /* false: prover_prove() does nothing */
    pthread_mutex_t lock;
};

void prover_init(struct prover *prover, bool proves);
void prover_release(struct prover *prover);

/*
 * Proves it for the OCI runtime of the plan (`prover` NULL: does nothing), unless that is known, or
 * not needed: Docker with its own choice of a runtime is not asked. Threads wait for each other. -1
 * with the error of a run of the plan.
 */
int prover_prove(struct prover *prover, const struct docker *docker, const struct plan *plan,
                 const struct notifier *cancel, struct error *error);

#endif

#include "service/prover.h"

#include "base/cleanup.h"
#include "container/runtime_check.h"
#include "docker/engine_memory.h"
#include "run/enforcement_probe.h"

void prover_init(struct prover *prover, bool proves)
{
    prover->proves = proves;
    pthread_mutex_init(&prover->lock, NULL);
}

void prover_release(struct prover *prover)
{
    pthread_mutex_destroy(&prover->lock);
}

static int prove(const struct docker *docker, const struct plan *plan,
                 const struct notifier *cancel, struct error *error)
{
    CLEANUP(error_release) struct error refusal = ERROR_INIT;
    CLEANUP(error_release) struct error failure = ERROR_INIT;

    if (runtime_check(docker, plan, cancel, &refusal) == 0)
        return 0;
    if (refusal.kind != ERROR_ENGINE)
        return error_set(error, refusal.kind, "%s", refusal.message);
    if (enforcement_probe(docker, plan, cancel, &failure) == 0 ||
        engine_memory_is_enforcing(docker->memory, plan->policy.oci_runtime))
        return 0;
    return error_set(error, failure.kind, "%s", failure.message);
}

int prover_prove(struct prover *prover, const struct docker *docker, const struct plan *plan,
                 const struct notifier *cancel, struct error *error)
{
    int result;

    if (!prover || !prover->proves)
        return 0;
    pthread_mutex_lock(&prover->lock);
    result = prove(docker, plan, cancel, error);
    pthread_mutex_unlock(&prover->lock);
    return result;
}

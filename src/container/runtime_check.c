#include "container/runtime_check.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "config/enforcement_file.h"
#include "config/settings.h"
#include "docker/engine_kind.h"
#include "docker/engine_memory.h"

int runtime_check_options(const struct oci_runtime *runtime, struct error *error)
{
    if (!runtime->ignores_limits)
        return 0;
    return error_set(error, ERROR_ENGINE,
                     "the OCI runtime '%s' enforces no limits: its options on the engine have "
                     "--ignore-cgroups; remove that from \"runtimeArgs\" in daemon.json, or set "
                     "\"" CONFIG_KEY_ALLOW_UNENFORCED "\" in the configuration",
                     runtime->name);
}

/* Sets the error of an engine of which nothing was shown yet. Returns -1. */
static int refuse(const struct docker *docker, const struct plan *plan, struct error *error)
{
    const char *runtime = plan->policy.oci_runtime;

    return error_set(error, ERROR_ENGINE,
                     "%s has not shown that it enforces limits here; to see why: isolator doctor%s"
                     "%s%s",
                     docker->kind == ENGINE_PODMAN ? engine_kind_name(docker->kind) : "gVisor",
                     docker->kind == ENGINE_PODMAN ? " --runtime podman" : "",
                     runtime ? " --oci-runtime " : "", runtime ? runtime : "");
}

/* Whether the runtime, which was found, may be used. */
static int check_limits(const struct docker *docker, const struct plan *plan,
                        const struct oci_runtime *runtime, struct error *error)
{
    if (plan->probes_limits || docker->allow_unenforced)
        return 0;
    if (runtime_check_options(runtime, error) != 0)
        return -1;
    if ((runtime->is_gvisor || engine_must_prove_limits(docker->kind)) &&
        !enforcement_file_exists(runtime->identity))
        return refuse(docker, plan, error);
    engine_memory_set_enforcing(docker->memory, plan->policy.oci_runtime);
    return 0;
}

static int check_runtime(const struct docker *docker, const struct plan *plan,
                         const struct oci_runtime *runtime, struct error *error)
{
    if (runtime->missing) {
        error_set(error, ERROR_USAGE, ERROR_SUBJECT " '%s' is not on the engine, which has: %s",
                  runtime->name, runtime->known);
        return error_about(error, setting_rules[SETTING_OCI_RUNTIME].key.name);
    }
    engine_memory_set_runtime(docker->memory, plan->policy.oci_runtime, runtime->is_gvisor);
    return check_limits(docker, plan, runtime, error);
}

int runtime_check(const struct docker *docker, const struct plan *plan,
                  const struct notifier *cancel, struct error *error)
{
    CLEANUP(oci_runtime_release) struct oci_runtime runtime = {.name = NULL};
    const char *name = plan->policy.oci_runtime;

    if ((!name && !engine_must_prove_limits(docker->kind)) ||
        engine_memory_is_enforcing(docker->memory, name) ||
        ((plan->probes_limits || docker->allow_unenforced) &&
         engine_memory_knows_runtime(docker->memory, name)))
        return 0;
    if (oci_runtime_find(docker, name, cancel, &runtime, error) != 0)
        return -1;
    return check_runtime(docker, plan, &runtime, error);
}

int runtime_check_kernel(const struct docker *docker, const struct plan *plan, bool is_gvisor,
                         struct error *error)
{
    if (!is_gvisor || docker->allow_unenforced || !docker->memory ||
        engine_memory_is_gvisor(docker->memory, plan->policy.oci_runtime))
        return 0;
    return error_set(error, ERROR_ENGINE,
                     "the container runs with gVisor, which has to be known beforehand: set "
                     "\"ociRuntime\" in the configuration to a runtime of the engine whose path or "
                     "type has \"runsc\" in it");
}

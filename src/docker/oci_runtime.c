#include "docker/oci_runtime.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "docker/budget.h"
#include "docker/engine_kind.h"
#include "docker/install_advice.h"

/* gVisor's flags are those of Go: one or two dashes, and perhaps a value. */
static bool ignores_limits(const char *command)
{
    static const char name[] = "-ignore-cgroups", off[] = "=false";
    const char *option = strstr(command, name);

    return option && strncmp(option + strlen(name), off, strlen(off)) != 0;
}

void oci_runtime_read(struct oci_runtime *runtime, const struct engine_info *engine,
                      const char *name)
{
    const char *wanted = name ? name : engine->oci_runtime;
    const char *command = "";

    runtime->name = wanted ? string_copy(wanted) : NULL;
    runtime->known = strvec_join(&engine->oci_runtimes, ", ");
    runtime->missing = name && engine->oci_runtimes.count > 0;
    for (size_t i = 0; wanted && i < engine->oci_runtimes.count; i++) {
        if (strcmp(engine->oci_runtimes.items[i], wanted) != 0)
            continue;
        runtime->missing = false;
        command = engine->oci_commands.items[i];
    }
    runtime->is_gvisor = strstr(command, "runsc") || strstr(command, "gvisor");
    runtime->ignores_limits = ignores_limits(command);
    runtime->identity = string_format(
        "%s %s in %s: %s = %s", engine_kind_name(engine->kind), engine->id ? engine->id : "",
        engine->directory ? engine->directory : "", wanted ? wanted : "", command);
}

/* podman has no daemon: what counts is the command, the user, and what selects its settings. */
static char *podman_identity(const struct docker *docker, const char *name)
{
    static const char *const variables[] = {"CONTAINER_HOST", "CONTAINER_CONNECTION",
                                            "CONTAINERS_CONF"};
    CLEANUP_FREE char *file = install_find_command(docker->command);
    CLEANUP_FREE char *real = file ? realpath(file, NULL) : NULL;
    struct strbuf identity = STRBUF_INIT;

    strbuf_addf(&identity, "%s %s of user %u", engine_kind_name(docker->kind),
                real ? real : docker->command, (unsigned)geteuid());
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++) {
        const char *value = getenv(variables[i]);

        if (value)
            strbuf_addf(&identity, " %s=%s", variables[i], value);
    }
    strbuf_addf(&identity, ": %s", name ? name : "");
    return strbuf_steal(&identity);
}

int oci_runtime_find(const struct docker *docker, const char *name, const struct notifier *cancel,
                     struct oci_runtime *runtime, struct error *error)
{
    CLEANUP(engine_info_release) struct engine_info engine;

    *runtime = (struct oci_runtime){.name = NULL};
    engine_info_init(&engine);
    engine.kind = docker->kind;
    if (docker->kind == ENGINE_PODMAN) {
        runtime->name = name ? string_copy(name) : NULL;
        runtime->identity = podman_identity(docker, name);
        return 0;
    }
    if (engine_info_ask_details(&engine, docker, budget_deadline(docker, BUDGET_QUERY), cancel,
                                error) != 0)
        return -1;
    oci_runtime_read(runtime, &engine, name);
    return 0;
}

void oci_runtime_release(struct oci_runtime *runtime)
{
    free(runtime->name);
    free(runtime->identity);
    free(runtime->known);
    *runtime = (struct oci_runtime){.name = NULL};
}

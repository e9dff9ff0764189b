#include "docker/container_limits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/strbuf.h"
#include "docker/engine_info.h"
#include "docker/engine_kind.h"
#include "docker/engine_memory.h"

/* How cpus are passed on. The engine takes no smaller fractions. */
#define CPUS_FORMAT "%.3f"

struct container_limits container_limits_of_engine(const struct docker *docker,
                                                   const struct container_limits *limits)
{
    const long cpus = engine_memory_cpus(docker->memory);
    struct container_limits result = *limits;

    if (cpus > 0 && result.cpus > (double)cpus)
        result.cpus = (double)cpus;
    return result;
}

static void add_limits(struct strvec *arguments, const struct container_limits *limits, bool pids)
{
    strvec_pushf(arguments, "--memory=%ldm", limits->memory_mb);
    if (limits->memory_mb > 0) /* podman refuses a limit of swap without one of memory */
        strvec_pushf(arguments, "--memory-swap=%ldm", limits->memory_mb);
    strvec_pushf(arguments, "--cpus=" CPUS_FORMAT, limits->cpus);
    if (pids)
        strvec_pushf(arguments, "--pids-limit=%ld", limits->pids);
}

void container_add_limits(struct strvec *arguments, const struct container_limits *limits)
{
    add_limits(arguments, limits, true);
}

/* The engine's unit, after rounding as in --cpus. */
static long long nanocpus(double cpus)
{
    char option[32];

    snprintf(option, sizeof option, CPUS_FORMAT, cpus);
    return llround(strtod(option, NULL) * 1000) * 1000000;
}

bool container_limits_equal(const struct container_limits *one,
                            const struct container_limits *other)
{
    return one->memory_mb == other->memory_mb && nanocpus(one->cpus) == nanocpus(other->cpus) &&
           one->pids == other->pids;
}

bool container_limits_can_become(const struct docker *docker, const char *oci_runtime,
                                 const struct container_limits *from,
                                 const struct container_limits *to)
{
    if (engine_memory_is_gvisor(docker->memory, oci_runtime)) {
        const struct container_limits wanted = container_limits_of_engine(docker, to);

        return container_limits_equal(from, to) || container_limits_equal(from, &wanted);
    }
    return engine_updates_pids(docker->kind) || from->pids == to->pids;
}

struct container_limits container_limits_before(const struct docker *docker,
                                                const struct container_limits *from,
                                                const struct container_limits *to)
{
    struct container_limits result = *from;

    if (!engine_updates_pids(docker->kind))
        result.pids = to->pids;
    return result;
}

/* Asks the engine for the limits, and adds to `wrong` the names of those that are different. */
static int compare_limits(const struct docker *docker, const char *name,
                          const struct container_limits *limits, long long deadline,
                          const struct notifier *cancel, struct strbuf *wrong, struct error *error)
{
    static const char *const names[] = {"memory", "swap", "processes", "cpus"};
    const long long bytes = limits->memory_mb * 1048576LL;
    const long long expected[] = {bytes, bytes, limits->pids, nanocpus(limits->cpus)};
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(docker_call_release) struct docker_call call = {.deadline = deadline, .cancel = cancel};
    char *rest = NULL;

    strvec_push_each(&call.arguments, "inspect", "--type", "container", "--format", NULL);
    strvec_push_each(&call.arguments,
                     "{{.HostConfig.Memory}}/{{.HostConfig.MemorySwap}}/{{.HostConfig.PidsLimit}}/"
                     "{{.HostConfig.NanoCpus}}",
                     name, NULL);
    if (docker_succeed(docker, &call, "cannot inspect the container", &output, error) != 0)
        return -1;
    strbuf_addstr(&output.out, ""); /* not NULL, even if docker printed nothing */
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = strtok_r(i == 0 ? output.out.data : NULL, "/\n", &rest);
        char digits[32];

        snprintf(digits, sizeof digits, "%lld", expected[i]);
        if (!value || strcmp(value, digits) != 0)
            strbuf_addf(wrong, "%s%s", wrong->length > 0 ? ", " : "", names[i]);
    }
    return 0;
}

int container_check_limits(const struct docker *docker, const char *name,
                           const struct container_limits *limits, long long deadline,
                           const struct notifier *cancel, struct error *error)
{
    CLEANUP(strbuf_release) struct strbuf missing = STRBUF_INIT;

    if (compare_limits(docker, name, limits, deadline, cancel, &missing, error) != 0)
        return -1;
    if (missing.length == 0)
        return 0;
    error_set(error, ERROR_ENGINE, "the engine does not enforce the limit of %s, see the warnings",
              strbuf_string(&missing));
    return 1;
}

/* docker update, with the options of the call, of which the last is the name of the container. */
static int update(const struct docker *docker, const struct docker_call *call, struct error *error)
{
    static const char cannot[] = "cannot change the limits of the container";
    const char *option = engine_update_option(docker->kind);
    CLEANUP(error_release) struct error first = ERROR_INIT;
    CLEANUP(error_release) struct error second = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec arguments = STRVEC_INIT;
    struct docker_call again = *call;

    if (docker_succeed(docker, call, cannot, NULL, &first) == 0)
        return 0;
    if (!option || first.kind == ERROR_CANCELLED)
        return error_set(error, first.kind, "%s", first.message);
    strvec_push_each(&arguments, "update", option, NULL);
    for (size_t i = 1; i < call->arguments.count; i++)
        strvec_push(&arguments, call->arguments.items[i]);
    again.arguments = arguments;
    if (docker_succeed(docker, &again, cannot, NULL, &second) == 0)
        return 0;
    return error_set(error, second.kind, "%s; %s", first.message, second.message);
}

int container_update_limits(const struct docker *docker, const char *name,
                            const struct container_limits *limits, long long deadline,
                            const struct notifier *cancel, struct error *error)
{
    CLEANUP(strbuf_release) struct strbuf unchanged = STRBUF_INIT;
    CLEANUP(docker_call_release) struct docker_call call = {.deadline = deadline, .cancel = cancel};

    strvec_push(&call.arguments, "update");
    add_limits(&call.arguments, limits, engine_updates_pids(docker->kind));
    strvec_push(&call.arguments, name);
    if (update(docker, &call, error) != 0)
        return -1;
    if (engine_shows_updates(docker->kind) &&
        compare_limits(docker, name, limits, deadline, cancel, &unchanged, error) != 0)
        return -1;
    if (unchanged.length == 0)
        return 0;
    return error_set(error, ERROR_ENGINE, "the engine did not change the limit of %s",
                     strbuf_string(&unchanged));
}

/* How many CPUs the engine has; 0: it does not say. It refuses more as a limit. */
static long engine_cpus(const struct docker *docker, const struct process_drain *drain,
                        long long deadline)
{
    CLEANUP(docker_output_release) struct docker_output output = DOCKER_OUTPUT_INIT;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    CLEANUP(docker_call_release) struct docker_call call = {.deadline = deadline, .drain = drain};
    long cpus;

    strvec_push_each(&call.arguments, "info", "--format", engine_cpus_template(docker->kind), NULL);
    if (docker_run(docker, &call, &output, &ignored) != 0 || output.status != 0)
        return 0;
    cpus = strtol(strbuf_string(&output.out), NULL, 10);
    return cpus > 0 && cpus <= ENGINE_CPUS_MAX ? cpus : 0;
}

void container_lift_cpus(const struct docker *docker, const char *name,
                         const struct process_drain *drain, long long deadline)
{
    const long long begin = clock_now_ms();
    const long cpus = begin < deadline ? engine_cpus(docker, drain, deadline) : 0;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    CLEANUP(docker_call_release) struct docker_call call = {.deadline = deadline, .drain = drain};

    if (cpus == 0)
        return;
    strvec_push(&call.arguments, "update");
    strvec_pushf(&call.arguments, "--cpus=%ld", cpus);
    strvec_push(&call.arguments, name);
    update(docker, &call, &ignored);
    docker_traced(docker, "lift", begin);
}

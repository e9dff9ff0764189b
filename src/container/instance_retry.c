/*
 * What is done if a container could not start because the engine does not have what it was asked
 * for: another user or fewer CPUs if that helps, and else an error that says what is missing.
 */
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/text.h"
#include "container/instance_make.h"
#include "container/runtime_check.h"
#include "docker/budget.h"
#include "docker/engine_info.h"
#include "docker/engine_memory.h"

#include <string.h>

int instance_check_cpus(const struct docker *docker, const struct plan *plan, struct error *error)
{
    const double requested = plan->requested_cpus;
    const long cpus = engine_memory_cpus(docker->memory);

    if (cpus == 0 || !(requested > (double)cpus)) /* false if it was not requested */
        return 0;
    error_set(error, ERROR_USAGE, ERROR_SUBJECT " %.10g is more than the engine has: %ld",
              requested, cpus);
    return error_about(error, limit_rules[LIMIT_CPUS].key.name);
}

/* Asks, once, what the engine has: only now, since it creates containers that it cannot start. */
static void ask_engine(const struct docker *docker, const struct notifier *cancel)
{
    CLEANUP(engine_info_release) struct engine_info engine;
    CLEANUP(error_release) struct error ignored = ERROR_INIT;

    engine_info_init(&engine);
    if (engine_memory_users(docker->memory) == ENGINE_USERS_UNKNOWN &&
        engine_info_ask_details(&engine, docker, budget_deadline(docker, BUDGET_QUERY), cancel,
                                &ignored) == 0)
        engine_memory_set_engine(docker->memory,
                                 engine.rootless || engine.user_namespaces ? ENGINE_USERS_MAPPED
                                                                           : ENGINE_USERS_ALL,
                                 engine.cpus);
}

/* Whether the engine is known not to have this user: it is rootless, or maps users to others. */
static bool lacks_user(const struct docker *docker, unsigned user)
{
    return user > ENGINE_USERS_MAPPED_MAX &&
           engine_memory_users(docker->memory) == ENGINE_USERS_MAPPED;
}

/* Lowers the limit of CPUs, if that is why the container could not start. */
static bool lower_cpus(struct instance *instance)
{
    const long cpus = engine_memory_cpus(instance->container.docker->memory);

    if (cpus == 0 || instance->limits.cpus <= (double)cpus)
        return false;
    instance->limits.cpus = (double)cpus;
    return true;
}

/*
 * Memory in MB with which containers start on any engine, and steps below that. runc and what it
 * executes before the supervisor need more or less of it, by their versions.
 */
static const long enough_memory[] = {8, 12, 16, 24, 32};
enum { ENOUGH_MEMORY = sizeof enough_memory / sizeof *enough_memory };

/* Whether the same container starts with so much memory; it is removed at once. */
static bool starts_with(struct instance *instance, const struct plan *plan, long memory_mb,
                        long long deadline, long long end, const struct notifier *cancel)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT;

    instance_begin_again(instance, plan, instance->delivery);
    instance->limits.memory_mb = memory_mb;
    if (instance_make_once(instance, plan, deadline, end, cancel, &ignored) != 0)
        return false;
    instance_remove_failed(instance, end);
    return true;
}

/*
 * Sets the error if the container could not start because memory ran out, or if the trial is
 * cancelled. No message of the engine says so for certain, and how much is needed depends on the
 * engine: so it is tried out.
 */
static bool lacks_memory(struct instance *instance, const struct plan *plan, long long deadline,
                         long long end, const struct notifier *cancel, struct error *error)
{
    const long given = instance->limits.memory_mb, enough = enough_memory[ENOUGH_MEMORY - 1];
    int step = 0;

    bool starts;

    if (given >= enough)
        return false;
    starts = starts_with(instance, plan, enough, deadline, end, cancel);
    while (starts && step < ENOUGH_MEMORY - 1 &&
           (enough_memory[step] <= given ||
            !starts_with(instance, plan, enough_memory[step], deadline, end, cancel)))
        step++;
    if (notifier_raised(cancel)) {
        owned_container_set_cancelled(error);
        return true;
    }
    if (!starts)
        return false;
    error_set(error, ERROR_USAGE,
              ERROR_SUBJECT " of %ld MB is too little for a container of this engine; it starts "
                            "with %ld MB",
              given, enough_memory[step]);
    error_about(error, limit_rules[LIMIT_MEMORY].key.name);
    return true;
}

/* Adds the network that may have been meant: engines find out late that there is none. */
static void hint_at_network(const struct plan *plan, struct error *error)
{
    static const char *const networks[] = {"none", "bridge"};
    const char *name = plan->policy.network;
    const char *nearest = text_nearest(name, networks, sizeof networks / sizeof *networks);
    CLEANUP_FREE char *hint = NULL;

    if (!nearest || strcmp(nearest, name) == 0)
        return;
    hint = string_format("did you mean the network '%s'?", nearest);
    error_hint(error, hint);
}

static int hand_on(const struct plan *plan, const struct error *failure, struct error *error)
{
    error_set(error, failure->kind, "%s", failure->message);
    plan_name_pull(plan, error);
    if (failure->kind == ERROR_ENGINE)
        hint_at_network(plan, error);
    return -1;
}

/* Makes the instance, in another way if the engine does not have what it was asked for. */
static int make_as_possible(struct instance *instance, const struct plan *plan, long long deadline,
                            long long end, const struct notifier *cancel, struct error *error)
{
    CLEANUP(error_release) struct error failure = ERROR_INIT;
    const struct docker *docker = instance->container.docker;

    if (instance_make_once(instance, plan, deadline, end, cancel, &failure) == 0)
        return 0;
    if (failure.kind == ERROR_ENGINE && instance->no_supervisor &&
        !instance_shell_may_be_missing(instance)) {
        ask_engine(docker, cancel);
        if (instance_check_cpus(docker, plan, error) != 0)
            return -1;
        if (lower_cpus(instance) || lacks_user(docker, instance->container.user)) {
            instance_begin_again(instance, plan, instance->delivery);
            return instance_make_once(instance, plan, deadline, end, cancel, error);
        }
        if (lacks_memory(instance, plan, deadline, end, cancel, error))
            return -1;
    }
    return hand_on(plan, &failure, error);
}

int instance_make(struct instance *instance, const struct plan *plan, long long deadline,
                  long long end, const struct notifier *cancel, struct error *error)
{
    if (make_as_possible(instance, plan, deadline, end, cancel, error) != 0)
        return -1;
    if (runtime_check_kernel(instance->container.docker, plan, instance->link.is_gvisor, error) ==
        0)
        return 0;
    instance_remove_failed(instance, end);
    return -1;
}

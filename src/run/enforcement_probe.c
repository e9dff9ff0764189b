#include "run/enforcement_probe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/limit_probe.h"
#include "base/text.h"
#include "config/enforcement_file.h"
#include "container/runtime_check.h"
#include "docker/engine_memory.h"
#include "run/run.h"

/*
 * The limits that are tried. gVisor itself needs some 40 MB, and some 200 of the processes
 * (measured with two cores).
 */
enum { MEMORY_MB = 128, MEMORY_ENOUGH_MB = 512, PROCESSES = 512, TIMEOUT_SECONDS = 60 };

static const struct limit_probe {
    const char *what;        /* for the program */
    const char *name, *unit; /* for people */
    long memory_mb, processes;
    long below, beyond;
} limit_probes[] = {
    {PROBE_MEMORY, "memory", " MB", MEMORY_MB, PROCESSES, MEMORY_MB / 8, 2L * MEMORY_MB},
    {PROBE_PROCESSES, "processes", "", MEMORY_ENOUGH_MB, PROCESSES, PROCESSES / 16, 2L * PROCESSES},
};
enum { PROBES = sizeof limit_probes / sizeof *limit_probes };

/* Fills in a plan that runs the supervisor's file. `file` is taken over. */
static void make_plan(const struct limit_probe *limit, const struct plan *like, int file,
                      struct plan *plan)
{
    double *numbers = plan->policy.limits.number;

    plan->language = like->language ? string_copy(like->language) : NULL;
    plan->image = string_copy(like->image);
    plan->base = like->base ? string_copy(like->base) : NULL;
    plan->workdir = string_copy(like->workdir);
    plan->entrypoint = string_copy("probe");
    plan->input.file = file;
    plan->requested_cpus = NAN;
    plan->image_requested = like->image_requested;
    plan->probes_limits = true;
    sandbox_policy_init(&plan->policy);
    sandbox_policy_overlay(&plan->policy, &like->policy);
    free(plan->policy.network);
    plan->policy.network = string_copy("none");
    network_rules_release(&plan->policy.network_rules);
    numbers[LIMIT_TIMEOUT] = TIMEOUT_SECONDS;
    numbers[LIMIT_MEMORY] = (double)limit->memory_mb;
    numbers[LIMIT_PIDS] = (double)limit->processes;
    numbers[LIMIT_CPU_TIME] = INFINITY;
    strvec_pushf(&plan->command, "%s/%s", plan->workdir, plan->entrypoint);
    strvec_push_each(&plan->command, PROBE_OPTION, limit->what, NULL);
    strvec_pushf(&plan->command, "%ld", limit->below);
    strvec_pushf(&plan->command, "%ld", limit->beyond);
}

/* Whether the program got as far as that. */
static bool has_line(const struct result *result, const char *line)
{
    return strstr(strbuf_string(&result->text[0]), line) != NULL;
}

/* Judges a run of the program. A run that ended too late, or early, proves nothing. */
static int judge(const struct limit_probe *limit, const struct result *result, struct error *error)
{
    if (has_line(result, PROBE_BEYOND)) {
        error_set(error, ERROR_ENGINE,
                  "the engine does not enforce the limit of %s: a program got "
                  "%ld%s, twice its limit",
                  limit->name, limit->beyond, limit->unit);
        return 1;
    }
    if (has_line(result, PROBE_BELOW) && result->reason != REASON_TIMEOUT &&
        result->reason != REASON_CANCELLED)
        return 0;
    return error_set(error, result->reason == REASON_CANCELLED ? ERROR_CANCELLED : ERROR_ENGINE,
                     "cannot tell whether the engine enforces the limit of %s: %s", limit->name,
                     result->error ? result->error : "the program was refused a part of it");
}

static int try_limit(const struct docker *docker, const struct limit_probe *limit,
                     const struct plan *like, const char *architecture,
                     const struct notifier *cancel, struct error *error)
{
    static const struct run_observer no_observer = RUN_OBSERVER_INIT;
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;
    CLEANUP(result_release) struct result result = RESULT_INIT;
    CLEANUP(error_release) struct error remains = ERROR_INIT;
    const int file = delivery_supervisor_file(architecture, error);
    struct run run;
    int status;

    if (file < 0)
        return -1;
    make_plan(limit, like, file, &plan);
    if (run_begin(&run, docker, &plan, &no_observer, cancel, NULL, &result))
        run_execute(&run, NULL, NULL);
    status = judge(limit, &result, error);
    if (run_clean_up(&run, &remains) == 0 || status != 0)
        return status;
    return error_set(error, remains.kind, "%s", remains.message);
}

static int try_limits(const struct docker *docker, const struct plan *plan,
                      const struct notifier *cancel, struct error *error)
{
    char architecture[20] = "";

    if (delivery_inspect_image(docker, plan->image, architecture, cancel, error) != 0)
        return -1;
    for (int i = 0; i < PROBES; i++) {
        const int status = try_limit(docker, &limit_probes[i], plan, architecture, cancel, error);

        if (status != 0)
            return status;
    }
    return 0;
}

int enforcement_probe(const struct docker *docker, const struct plan *plan,
                      const struct notifier *cancel, struct error *error)
{
    CLEANUP(oci_runtime_release) struct oci_runtime runtime = {.name = NULL};
    int status;

    if (oci_runtime_find(docker, plan->policy.oci_runtime, cancel, &runtime, error) != 0)
        return -1;
    status =
        runtime_check_options(&runtime, error) != 0 ? 1 : try_limits(docker, plan, cancel, error);
    if (status > 0)
        enforcement_file_remove(runtime.identity);
    if (status != 0)
        return status;
    engine_memory_set_enforcing(docker->memory, plan->policy.oci_runtime);
    return enforcement_file_write(runtime.identity, error);
}

static int ensure(const struct docker *docker, const struct plan *plan,
                  const struct notifier *cancel, struct error *error)
{
    if (runtime_check(docker, plan, cancel, error) == 0)
        return 0;
    if (error->kind != ERROR_ENGINE)
        return -1;
    error_release(error);
    if (enforcement_probe(docker, plan, cancel, error) == 0)
        return 0;
    if (!engine_memory_is_enforcing(docker->memory, plan->policy.oci_runtime))
        return -1;
    error_release(error); /* it does, but another process will have to try that again */
    return 0;
}

int enforcement_ensure(const struct docker *docker, const struct plan *plan, pthread_mutex_t *lock,
                       const struct notifier *cancel, struct error *error)
{
    int result;

    if (lock)
        pthread_mutex_lock(lock);
    result = ensure(docker, plan, cancel, error);
    if (lock)
        pthread_mutex_unlock(lock);
    return result;
}

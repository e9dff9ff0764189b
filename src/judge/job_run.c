#include "judge/job_run.h"

#include <errno.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "container/runtime_check.h"
#include "docker/budget.h"
#include "docker/container.h"
#include "docker/explain.h"
#include "judge/case_run.h"
#include "run/program_explain.h"
#include "run/program_run.h"
#include "run/run_kinds.h"
#include "run/run_steps.h"
#include "run/submission.h"

static double larger(double one, double other)
{
    return one > other ? one : other;
}

long job_run_extra_mb(const struct plan *plan)
{
    double bytes = plan->policy.limits.number[LIMIT_OUTPUT];

    if (plan->build.count > 0)
        bytes = larger(bytes, plan->build_limits.number[LIMIT_OUTPUT]);
    if (plan->tests.count > 0)
        bytes = larger(bytes, plan->test_output_bytes);
    return (long)(bytes / (1 << 20)) + 1; /* half of it for each of two streams */
}

static void free_instance(struct run *run)
{
    instance_free(run->instance);
    run->instance = NULL;
}

/* ---- the script */

/* What a run says before its programs have run: the result is not known yet. */
static void use_other_result(struct judgement *judgement, struct result *result)
{
    result->image = string_copy(judgement->run.plan->image);
    judgement->run.result = result;
    judgement_prepare(judgement);
}

int job_run_write(struct judgement *judgement, struct job_script *script, struct error *error)
{
    CLEANUP(result_release) struct result ignored = RESULT_INIT;
    struct run *run = &judgement->run;
    struct result *known = run->result;
    const struct docker *docker = run->docker;
    const struct plan *plan = run->plan;
    struct docker silent = *docker;
    bool begun;
    int result;

    use_other_result(judgement, &ignored);
    silent.trace = NULL; /* no step of it takes time */
    run->docker = &silent;
    run->instance = job_instance_of_script(run->docker, job_run_extra_mb(plan), script);
    if (plan->build.count == 0 || submission_limits_are_fixed(run))
        job_script_detach(script, NULL, 0);
    result = run_programs(run, run_end_deadline(run), &begun, error);
    free_instance(run);
    run->result = known;
    run->docker = docker;
    if (result == 0 && script->error != 0) {
        errno = script->error;
        result = error_set_errno(error, ERROR_SYSTEM, "cannot write the script of the job");
    }
    return result;
}

/* ---- the start */

/* Why the container is not ready, or does not let go. Returns -1. */
static int explain_start(struct run *run, enum process_event event, struct error *error)
{
    struct instance *instance = run->instance;
    CLEANUP_FREE char *message = docker_message(&instance->message);

    if (instance->link.failure.step != 0)
        return program_explain_failure(instance, run->result->image, error);
    if (owned_container_set_interrupted(event, "the engine did not start the container in time",
                                        message, error))
        return -1;
    return docker_explain(run->docker, run->result->image, "cannot start the container",
                          instance->link.broken ? "what it wrote is not from the supervisor"
                          : *message            ? message
                                                : "it ended before it had taken the request",
                          run->cancel, error);
}

/*
 * Whether `failure`, of the change of the limits, does not matter: the job went on alone, since the
 * supervisor had seen the new limits, and ended the container before the engine had changed them
 * all.
 */
static bool went_on(struct run *run, struct error *failure)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    const long long deadline = budget_deadline(run->docker, BUDGET_SETUP);
    struct instance *instance = run->instance;
    struct container_state state;

    if (failure->kind != ERROR_ENGINE ||
        container_inspect(run->docker, instance->container.name, deadline, &state, &ignored) != 0 ||
        !state.ended)
        return false;
    instance_pump(instance, INSTANCE_DETACHED, deadline, run->cancel);
    if (!instance->link.detached)
        return false;
    error_release(failure);
    *failure = (struct error)ERROR_INIT;
    return true;
}

static int wait_until_detached(struct run *run, struct error *error)
{
    struct instance *instance = run->instance;
    const long long deadline = budget_deadline(run->docker, BUDGET_SETUP);
    enum process_event event = instance_pump(instance, INSTANCE_MADE, deadline, run->cancel);
    bool begun, built = true;

    if (event != PROCESS_PAUSED || instance->link.broken)
        return explain_start(run, event, error);
    if (runtime_check_kernel(run->docker, run->plan, instance->link.is_gvisor, error) != 0)
        return -1;
    if (run->plan->build.count > 0 &&
        submission_prepare(run, run_setup_deadline(run), &begun, &built, error) != 0 &&
        !went_on(run, error))
        return -1;
    if (!built)
        return 0;
    event = instance_pump(instance, INSTANCE_DETACHED, budget_deadline(run->docker, BUDGET_SETUP),
                          run->cancel);
    return event == PROCESS_PAUSED && instance->link.detached ? 0
                                                              : explain_start(run, event, error);
}

int job_run_start(struct judgement *judgement, const struct owned_container *container,
                  const char *key, struct error *error)
{
    CLEANUP(job_log_release) struct job_log log;
    CLEANUP(result_release) struct result ignored = RESULT_INIT;
    struct run *run = &judgement->run;
    struct result *known = run->result;
    int result = -1;

    job_log_init(&log, key);
    use_other_result(judgement, &ignored);
    run->instance = job_instance_start(run->docker, container->name, &run->limits,
                                       job_run_extra_mb(run->plan), &log, error);
    if (run->instance) {
        result = wait_until_detached(run, error);
        free_instance(run); /* and with it the docker command */
    }
    run->result = known;
    return result;
}

/* ---- the result */

/* Whether the engine is at fault that the log was not read. Sets the error then. */
static bool log_was_not_given(const struct run *run, struct error *error)
{
    struct instance *instance = run->instance;
    CLEANUP_FREE char *message = docker_message(&instance->message);

    if (notifier_raised(run->cancel))
        error_set(error, ERROR_CANCELLED, "cancelled");
    else if (instance->log_is_late)
        error_set(error, ERROR_ENGINE, "the engine did not give the log of the job in time");
    else if (instance->client.exited && instance->client.status != 0)
        error_set(error, ERROR_ENGINE, "cannot read the log of the job: %s", message);
    else
        return false;
    return true;
}

int job_run_read(const struct job_run *job, struct result *result, struct error *error)
{
    static const struct run_observer no_observer = RUN_OBSERVER_INIT;
    CLEANUP(error_release) struct error failure = ERROR_INIT;
    CLEANUP(job_log_release) struct job_log log;
    struct judgement judgement = {.run = {.docker = job->docker,
                                          .plan = job->plan,
                                          .cancel = job->cancel,
                                          .result = result,
                                          .start = clock_now_ms(),
                                          .files = ARCHIVE_INIT,
                                          .sent = *job->sent}};
    struct run *run = &judgement.run;
    bool begun, not_given;

    job_log_init(&log, job->key);
    run->instance = job_instance_of_log(job->docker, job->container, &log, error);
    if (!run->instance)
        return -1;
    output_sink_init(&run->output, (size_t)job->plan->policy.limits.number[LIMIT_OUTPUT],
                     &no_observer);
    result->image = string_copy(job->plan->image);
    result->container = string_copy(job->container);
    judgement_prepare(&judgement);
    instance_pump(run->instance, INSTANCE_MADE, 0, job->cancel);
    if (run_programs(run, 0, &begun, &failure) != 0)
        result_fail(result, &failure);
    case_run_explain(run);
    output_sink_finish(&run->output, result);
    not_given = log_was_not_given(run, error);
    free_instance(run);
    return not_given ? -1 : 0;
}

#include "run/run.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "container/runtime_check.h"
#include "docker/budget.h"
#include "run/extra_files.h"
#include "run/pack_input.h"
#include "run/run_kinds.h"
#include "run/run_session.h"
#include "run/run_steps.h"
#include "run/run_terminator.h"
#include "run/save.h"
#include "run/sharing.h"
#include "run/submission.h"
#include "run/unrequested_files.h"

/* ---- the beginning */

static int pack_run(struct run *run, struct error *error)
{
    const struct plan *plan = run->plan;
    const bool needed = plan->artifacts.count > 0 || plan_kind(plan) == PLAN_SUBMISSION ||
                        plan_has_session(plan); /* a later request may want files back */
    const bool large = input_files_have_ranges(&plan->input.files);
    struct manifest *sent = needed ? &run->sent : NULL;

    if ((large ? archive_open_on_disk : archive_open)(&run->files, plan->policy.uid,
                                                      plan->policy.gid, sent, error) != 0)
        return -1;
    if (pack_input(plan, &run->files, &run->result->warnings, run->cancel, error) != 0)
        return -1;
    if (plan->unrequested && !needed)
        unrequested_add_sent(&run->sent, plan);
    return 0;
}

/* Process 1 measures and reports. Another user without capabilities cannot interfere with it. */
static void warn_of_forgery(const struct sandbox_policy *policy, struct strvec *warnings)
{
    if (policy->uid == 0)
        strvec_push(warnings, "the program runs as user 0, so it could forge its result");
    else if (!strvec_contains(&policy->cap_drop, "ALL"))
        strvec_push(warnings, "not all capabilities are dropped, so the program could forge its "
                              "result");
}

bool run_begin(struct run *run, const struct docker *docker, const struct plan *plan,
               const struct run_observer *observer, const struct notifier *cancel,
               struct tool_set *tools, struct result *result)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    *run = (struct run){
        .docker = docker,
        .plan = plan,
        .cancel = cancel,
        .tools = tools,
        .observer = *observer,
        .result = result,
        .start = clock_now_ms(),
        .files = ARCHIVE_INIT,
        .with_extra_files = ARCHIVE_INIT,
        .sent = MANIFEST_INIT,
        .built = MANIFEST_INIT,
        .consent = TOOL_CONSENT_INIT,
    };
    output_sink_init(&run->output, (size_t)plan->policy.limits.number[LIMIT_OUTPUT], observer);
    result->image = string_copy(plan->image);
    if (plan_has_session(plan))
        result_add_session(result, plan->session.id)->cell = plan_kind(plan) == PLAN_CELL;
    if (plan->policy.network_rules.count > 0)
        result_add_network(result);
    if (plan->tools.count > 0)
        result_add_tools(result);
    if (tool_consent_init(&run->consent, plan->tools.count > 0 ? observer->asker : NULL, &error) ==
            0 &&
        runtime_check(docker, plan, cancel, &error) == 0 &&
        instance_check_cpus(docker, plan, &error) == 0 && pack_run(run, &error) == 0) {
        warn_of_forgery(&plan->policy, &result->warnings);
        run->limits = submission_limits(run);
        return true;
    }
    result_fail(result, &error);
    return false;
}

/* ---- the instance */

/*
 * Runs the programs in the warm instance, which may still have other limits. *begun is false if no
 * program has begun, for example since the engine was restarted or refuses the limits; then it
 * may run in another instance.
 */
static int run_warm(struct run *run, bool *begun, struct error *error)
{
    const long long soon = budget_deadline(run->docker, BUDGET_WARM_START);
    const long long latest = run_setup_deadline(run);
    const long long deadline = soon < latest ? soon : latest;

    *begun = false;
    run->result->warm = true;
    run->result->ready_bytes = run->instance->link.ready_bytes;
    run_set_container(run, &run->instance->container);
    run_add_warnings(run);
    if (instance_set_limits(run->instance, &run->limits, deadline, run->cancel, error) != 0)
        return -1;
    return run_programs(run, deadline, begun, error);
}

static void free_instance(struct run *run)
{
    instance_free(run->instance);
    run->instance = NULL;
}

int run_make_instance(struct run *run, struct error *error)
{
    int status;

    run->instance = instance_new(run->docker, run->plan, &run->limits, run_keep_ms(run));
    if (run->has_fifos)
        instance_prepare_join(run->instance);
    if (run->joined)
        instance_join(run->instance, run->joined);
    status = instance_make(run->instance, run->plan, run_setup_deadline(run), run_end_deadline(run),
                           run->cancel, error);
    run_set_container(run, &run->instance->container);
    run_add_warnings(run);
    if (status != 0)
        free_instance(run);
    return status;
}

/* Runs the programs in an instance that is made for them. */
static int run_cold(struct run *run, struct error *error)
{
    const long long deadline = run_setup_deadline(run);
    bool begun;

    run->result->warm = false;
    if (run_make_instance(run, error) != 0)
        return -1;
    if (run->cases)
        run->cases->made(run->cases_context);
    return run_programs(run, deadline, &begun, error);
}

/*
 * Removes the instance, until `end` (clock_now_ms()) at the latest, and frees it. Returns whether
 * it is certain that its program has not begun and never will.
 */
static bool remove_instance(struct run *run, long long end, struct error *error)
{
    const bool removed = instance_remove(run->instance, end, error) == 0;
    const bool begun = instance_begun(run->instance);

    free_instance(run);
    return removed && !begun;
}

/* Removes the warm instance. Returns whether the program can be run in another one. */
static bool undo_warm(struct run *run)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const bool failed = sharing_has_failed(run);
    const bool undone =
        remove_instance(run, budget_deadline(run->docker, BUDGET_WARM_REMOVE), &error) || failed;

    if (error.kind != ERROR_NONE)
        strvec_push(&run->result->warnings, error.message);
    return undone;
}

static int run_warm_or_cold(struct run *run, struct error *error)
{
    CLEANUP(error_release) struct error failure = ERROR_INIT;
    bool begun;

    if (run_warm(run, &begun, &failure) == 0)
        return 0;
    if (((!begun && failure.kind == ERROR_ENGINE) || sharing_has_failed(run)) && undo_warm(run))
        return run_cold(run, error);
    *error = failure;
    failure = (struct error)ERROR_INIT;
    return -1;
}

/* Runs the programs in the instance of the session, whose state they need: no other one will do. */
static int run_in_session(struct run *run, struct error *error)
{
    const long long deadline = run_setup_deadline(run);
    bool begun;

    run->result->warm = true;
    run_set_container(run, &run->instance->container);
    if (notifier_raised(run->cancel))
        return owned_container_set_cancelled(error);
    if (instance_set_limits(run->instance, &run->limits, deadline, NULL, error) != 0)
        return -1;
    return run_programs(run, deadline, &begun, error);
}

/* ---- the run */

static int add_to_files(struct run *run, struct error *error)
{
    if (run_terminator_begin(run, error) != 0 || extra_files_begin(run, error) != 0)
        return -1;
    run->limits = submission_limits(run); /* a copy of the files may have become larger */
    return 0;
}

void run_execute(struct run *run, struct run_session *session, struct instance *warm)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const bool used = session && session->instance;
    const long long start = run->start;
    int status = -1;

    run->session = session;
    run->instance = used ? run_session_take(session) : warm;
    if (add_to_files(run, &error) == 0)
        status = used            ? run_in_session(run, &error)
                 : run->instance ? run_warm_or_cold(run, &error)
                                 : run_cold(run, &error);
    if (run->cases)
        run->cases->over(run->cases_context);
    if (status == 0 && result_success(run->result))
        save_run(run, &error);
    if (error.kind != ERROR_NONE)
        result_fail(run->result, &error);
    if (run->result->network)
        network_log_warn(run->result->network, &run->result->warnings);
    if (run->result->tools)
        strvec_push_all(&run->result->warnings, &run->result->tools->warnings);
    output_sink_finish(&run->output, run->result);
    run->result->total_ms = clock_now_ms() - start;
    if (session)
        run_session_take_run(run, used);
}

int run_clean_up(struct run *run, struct error *error)
{
    const int status =
        run->instance ? instance_remove(run->instance, run_end_deadline(run), error) : 0;

    if (run->instance)
        free_instance(run);
    run_terminator_end(run);
    tool_consent_release(&run->consent);
    archive_release(&run->with_extra_files);
    archive_release(&run->files);
    manifest_release(&run->sent);
    manifest_release(&run->built);
    return status;
}

#include "service/execute.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/linux.h"
#include "docker/budget.h"
#include "run/pack_input.h"
#include "run/run.h"
#include "run/save.h"
#include "run/supervisor.h"

/* The two archives of a run. Whatever is wrong with the input is found here. */
static int pack(const struct plan *plan, const char *nonce, struct archive *control,
                struct archive *files, struct strvec *warnings, struct error *error)
{
    const unsigned uid = plan->policy.uid;
    const unsigned gid = plan->policy.gid;

    if (archive_open(control, uid, gid, "", error) != 0 ||
        archive_open(files, uid, gid, "", error) != 0 ||
        supervisor_control(plan, nonce, control, error) != 0)
        return -1;
    return pack_input(plan, archive_size(control), files, warnings, error);
}

/* Once each: another sandbox of the same run may have said the same. */
static void add_warnings(struct run *run, const struct instance *instance)
{
    for (size_t i = 0; i < instance->warnings.count; i++)
        if (!strvec_contains(&run->result->warnings, instance->warnings.items[i]))
            strvec_push(&run->result->warnings, instance->warnings.items[i]);
}

/*
 * In a sandbox that has waited. Where nothing of the program has run, because the engine was restarted,
 * say, *begun is false, and another sandbox may do better.
 */
static int run_warm(struct run *run, struct instance *instance, bool *begun, struct error *error)
{
    const long long soon = budget_deadline(run->docker, BUDGET_WARM_START);
    const long long latest = run_setup_deadline(run);

    run->result->warm = true;
    run_name(run, &instance->container);
    add_warnings(run, instance);
    return run_supervised(run, instance, soon < latest ? soon : latest, begun, error);
}

/* In a sandbox of its own, which is the caller's in the end; *sandbox is NULL if it has none. */
static int run_cold(struct run *run, const char *nonce, struct instance **instance,
                    struct error *error)
{
    CLEANUP(error_release) struct error supervisor_error = ERROR_INIT;
    const long long deadline = run_setup_deadline(run);
    enum instance_supervisor supervisor;
    bool begun;
    int made;

    run->result->warm = false;
    *instance =
        instance_new(run->docker, run->plan, nonce, limits_timeout_ms(&run->plan->policy.limits));
    made =
        instance_make(*instance, run->plan, deadline, run_end(run), run->cancel, &supervisor_error);
    run_name(run, &(*instance)->container);
    add_warnings(run, *instance);
    if (made == 0)
        return run_supervised(run, *instance, deadline, &begun, error);
    supervisor = (*instance)->supervisor;
    instance_free(*instance);
    *instance = NULL;
    if (supervisor == INSTANCE_SUPERVISOR_GOOD || supervisor_error.kind == ERROR_IMAGE)
        return error_set(error, supervisor_error.kind, "%s", supervisor_error.message);
    return run_unsupervised(
        run, supervisor == INSTANCE_SUPERVISOR_SILENT ? &supervisor_error : NULL, error);
}

/*
 * Removes the sandbox, which is taken over; a failure becomes a warning of the result. Returns whether
 * the program has not begun in it, and now never will.
 */
static bool remove_instance(struct run *run, struct instance *instance, long long end)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const bool removed = instance_remove(instance, end, &error) == 0;
    const bool begun = instance_begun(instance);

    if (!removed)
        strvec_push(&run->result->warnings, error.message);
    instance_free(instance);
    return removed && !begun;
}

/* Whether a failed attempt in the sandbox that waited leaves no trace, so that another may be made. */
static bool undo_warm(struct run *run, struct instance **instance)
{
    struct instance *failed = *instance;

    *instance = NULL;
    return remove_instance(run, failed, budget_deadline(run->docker, BUDGET_WARM_REMOVE));
}

/*
 * In the sandbox, if there is one, or else in another, which the nonce is for. *sandbox is the one
 * that is left to be removed.
 */
static int run_in_instance(struct run *run, const char *nonce, struct instance **instance,
                           struct error *error)
{
    CLEANUP(error_release) struct error warm_error = ERROR_INIT;
    bool begun;

    if (!*instance)
        return run_cold(run, nonce, instance, error);
    if (run_warm(run, *instance, &begun, &warm_error) == 0)
        return 0;
    if (!begun && warm_error.kind == ERROR_ENGINE && undo_warm(run, instance))
        return run_cold(run, nonce, instance, error);
    return error_set(error, warm_error.kind, "%s", warm_error.message);
}

static int save(struct run *run, struct error *error)
{
    const struct request *request = run->plan->request;

    if (request->save_dockerfile && save_dockerfile(run->plan, run->result->image, error) != 0)
        return -1;
    if (request->save_image) {
        if (save_image(run, error) != 0)
            return -1;
        run->result->image_tag = string_copy(request->save_image);
    }
    return 0;
}

void execute(const struct docker *docker, struct pool *warm, const struct plan *plan,
             const struct notifier *cancel, struct result *result, struct instance **used)
{
    CLEANUP(archive_release) struct archive control = ARCHIVE_INIT;
    CLEANUP(archive_release) struct archive files = ARCHIVE_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct instance *instance = pool_take(warm, plan);
    char nonce[SUPERVISOR_NONCE_SIZE];
    struct output_sink output;
    struct run run = {
        .docker = docker,
        .plan = plan,
        .cancel = cancel,
        .control = &control,
        .files = &files,
        .output = &output,
        .result = result,
        .start = clock_now_ms(),
    };

    result->image = string_copy(plan->image);
    output_sink_init(&output, plan);
    if (instance)
        memcpy(nonce, instance->nonce, sizeof nonce);
    else
        linux_random_digits(nonce, sizeof nonce);
    if (pack(plan, nonce, &control, &files, &result->warnings, &error) == 0 &&
        run_in_instance(&run, nonce, &instance, &error) == 0 && result_success(result))
        save(&run, &error);
    if (error.kind != ERROR_NONE)
        result_fail(result, &error);
    output_sink_finish(&output, result);
    if (used)
        *used = instance;
    else if (instance)
        remove_instance(&run, instance, run_end(&run));
}

int execute_clean_up(struct instance *used, struct error *error)
{
    const int result = instance_remove(used, 0, error);

    instance_free(used);
    return result;
}

#include "sandbox/execute.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/linux.h"
#include "sandbox/gate.h"
#include "sandbox/input.h"
#include "sandbox/life.h"
#include "sandbox/save.h"

/*
 * How much of the engine's time a sandbox that waited gets to begin, and then to be removed, before another
 * one is tried: so much that this one has some left.
 */
enum { WARM_PERCENT = 30, WARM_REMOVE_PERCENT = 20 };

/* The two archives of a run. Whatever is wrong with the input is found here. */
static int pack(const struct plan *plan, const char *nonce, struct archive *control,
                struct archive *files, struct strvec *warnings, struct error *error)
{
    const unsigned uid = plan->limits.uid;
    const unsigned gid = plan->limits.gid;

    if (archive_open(control, uid, gid, "", error) != 0 ||
        archive_open(files, uid, gid, "", error) != 0 ||
        gate_control(plan, nonce, control, error) != 0)
        return -1;
    return input_archive(plan, archive_size(control), files, warnings, error);
}

/* Once each: another sandbox of the same run may have said the same. */
static void add_warnings(struct life *life, const struct sandbox *sandbox)
{
    for (size_t i = 0; i < sandbox->warnings.count; i++)
        if (!strvec_contains(&life->result->warnings, sandbox->warnings.items[i]))
            strvec_push(&life->result->warnings, sandbox->warnings.items[i]);
}

/*
 * In a sandbox that has waited. Where nothing of the program has run, because the engine was restarted,
 * say, *begun is false, and another sandbox may do better.
 */
static int run_warm(struct life *life, struct sandbox *sandbox, bool *begun, struct error *error)
{
    const long long soon = clock_now_ms() + docker_share(life->docker, WARM_PERCENT);
    const long long latest = life_setup_deadline(life);

    life->result->warm = true;
    life_name(life, &sandbox->box);
    add_warnings(life, sandbox);
    return life_gated(life, sandbox, soon < latest ? soon : latest, begun, error);
}

/* In a sandbox of its own, which is the caller's in the end; *sandbox is NULL if it has none. */
static int run_cold(struct life *life, const char *nonce, struct sandbox **sandbox,
                    struct error *error)
{
    CLEANUP(error_release) struct error gate_error = ERROR_INIT;
    const long long deadline = life_setup_deadline(life);
    enum sandbox_gate gate;
    bool begun;
    int made;

    life->result->warm = false;
    *sandbox = sandbox_new(life->docker, life->plan, nonce, limits_timeout_ms(&life->plan->limits));
    made = sandbox_make(*sandbox, life->plan, deadline, life_end(life), life->cancel, &gate_error);
    life_name(life, &(*sandbox)->box);
    add_warnings(life, *sandbox);
    if (made == 0)
        return life_gated(life, *sandbox, deadline, &begun, error);
    gate = (*sandbox)->gate;
    sandbox_free(*sandbox);
    *sandbox = NULL;
    if (gate == SANDBOX_GATE_GOOD || gate_error.kind == ERROR_IMAGE)
        return error_set(error, gate_error.kind, "%s", gate_error.message);
    return life_plain(life, gate == SANDBOX_GATE_SILENT ? &gate_error : NULL, error);
}

/*
 * Removes the sandbox, which is taken over; a failure becomes a warning of the result. Returns whether
 * the program has not begun in it, and now never will.
 */
static bool remove_sandbox(struct life *life, struct sandbox *sandbox, long long end)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const bool removed = sandbox_remove(sandbox, end, &error) == 0;
    const bool begun = sandbox_begun(sandbox);

    if (!removed)
        strvec_push(&life->result->warnings, error.message);
    sandbox_free(sandbox);
    return removed && !begun;
}

/* Whether a failed attempt in the sandbox that waited leaves no trace, so that another may be made. */
static bool undo_warm(struct life *life, struct sandbox **sandbox)
{
    struct sandbox *failed = *sandbox;

    *sandbox = NULL;
    return remove_sandbox(life, failed,
                          clock_now_ms() + docker_share(life->docker, WARM_REMOVE_PERCENT));
}

/*
 * In the sandbox, if there is one, or else in another, which the nonce is for. *sandbox is the one
 * that is left to be removed.
 */
static int run(struct life *life, const char *nonce, struct sandbox **sandbox, struct error *error)
{
    CLEANUP(error_release) struct error warm_error = ERROR_INIT;
    bool begun;

    if (!*sandbox)
        return run_cold(life, nonce, sandbox, error);
    if (run_warm(life, *sandbox, &begun, &warm_error) == 0)
        return 0;
    if (!begun && warm_error.kind == ERROR_ENGINE && undo_warm(life, sandbox))
        return run_cold(life, nonce, sandbox, error);
    return error_set(error, warm_error.kind, "%s", warm_error.message);
}

static int save(struct life *life, struct error *error)
{
    const struct request *request = life->plan->request;

    if (request->save_dockerfile && save_dockerfile(life->plan, life->result->image, error) != 0)
        return -1;
    if (request->save_image) {
        if (save_image(life, error) != 0)
            return -1;
        life->result->image_tag = string_copy(request->save_image);
    }
    return 0;
}

void execute(const struct docker *docker, struct warm *warm, const struct plan *plan,
             const struct cancel *cancel, struct result *result, struct sandbox **used)
{
    CLEANUP(archive_release) struct archive control = ARCHIVE_INIT;
    CLEANUP(archive_release) struct archive files = ARCHIVE_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct sandbox *sandbox = warm_take(warm, plan);
    char nonce[GATE_NONCE_SIZE];
    struct output output;
    struct life life = {
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
    output_init(&output, plan);
    if (sandbox)
        memcpy(nonce, sandbox->nonce, sizeof nonce);
    else
        linux_random_digits(nonce, sizeof nonce);
    if (pack(plan, nonce, &control, &files, &result->warnings, &error) == 0 &&
        run(&life, nonce, &sandbox, &error) == 0 && result_success(result))
        save(&life, &error);
    if (error.kind != ERROR_NONE)
        result_fail(result, &error);
    output_finish(&output, result);
    if (used)
        *used = sandbox;
    else if (sandbox)
        remove_sandbox(&life, sandbox, life_end(&life));
}

int execute_clean_up(struct sandbox *used, struct error *error)
{
    const int result = sandbox_remove(used, 0, error);

    sandbox_free(used);
    return result;
}

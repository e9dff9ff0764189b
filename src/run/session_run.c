#include "run/session_run.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "run/cell.h"
#include "run/run.h"
#include "run/run_steps.h"

/*
 * How long the container outlives the time of its session: if isolator hangs, it ends by itself.
 */
enum { END_GRACE_MS = 60000 };

/* Files of a session that are remembered. If there are more, some may be returned once more. */
enum { KNOWN_MAX = 50000 };

#define MIB (1ULL << 20)

void run_session_init(struct run_session *session, const struct session_limits *limits,
                      bool keep_processes)
{
    *session = (struct run_session){.limits = *limits,
                                    .keep_processes = keep_processes,
                                    .known = MANIFEST_INIT,
                                    .named = MANIFEST_INIT};
}

void run_session_release(struct run_session *session)
{
    free(session->image);
    free(session->ended);
    manifest_release(&session->known);
    manifest_release(&session->named);
}

long long run_session_left_ms(const struct run_session *session)
{
    const long long left = session->limits.end - clock_now_ms();

    return left > 1 ? left : 1;
}

bool run_session_lives(const struct run_session *session)
{
    return session->instance && instance_waits(session->instance);
}

/* The instance, which *from owns no longer. */
static struct instance *steal_instance(struct instance **from)
{
    struct instance *instance = *from;

    *from = NULL;
    return instance;
}

int run_session_remove(struct run_session *session, long long end, struct error *error)
{
    struct instance *instance = steal_instance(&session->instance);
    int result;

    if (!instance)
        return 0;
    result = instance_remove(instance, end, error);
    instance_free(instance);
    return result;
}

/* ---- the files that are not new artifacts */

static void remember_in(struct manifest *known, const struct manifest *files)
{
    if (known->count + files->count > KNOWN_MAX)
        manifest_release(known);
    manifest_merge(known, files);
}

static void remember(struct run_session *session, const struct manifest *files)
{
    remember_in(&session->known, files);
}

void run_session_remember_named(struct run_session *session, const struct manifest *files)
{
    remember_in(&session->named, files);
}

static void remember_artifacts(struct run_session *session, const struct artifacts *artifacts)
{
    CLEANUP(manifest_release) struct manifest files = MANIFEST_INIT;

    for (size_t i = 0; i < artifacts->count; i++) {
        const struct artifact *artifact = &artifacts->items[i];

        manifest_add(&files, artifact->name, (long long)artifact->length, artifact->sha256);
    }
    remember(session, &files);
}

/* ---- its programs */

int run_session_begin(struct run *run, struct error *error)
{
    if (run->session->interpreter && !cell_is_in(run->plan))
        return error_set(error, ERROR_INPUT,
                         "a directory cannot run in this session, since its interpreter waits for "
                         "the next cell");
    remember(run->session, &run->sent);
    return 0;
}

/* What is left of a limit; at least 1, since 0 stands for no limit. */
static uint64_t left_of(double limit, double used)
{
    return limit - used >= 1 ? (uint64_t)(limit - used) : 1;
}

static long long cpu_us_of(const struct result *result)
{
    const long long build_us =
        result->build && result->build->cpu_us > 0 ? result->build->cpu_us : 0;

    return build_us + (result->cpu_us > 0 ? result->cpu_us : 0);
}

void run_session_set_program(const struct run *run, struct program_run *program)
{
    const struct run_session *session = run->session;
    struct program_request *request = &program->request;

    program->must_begin = session->requests > 0;
    request->reset = run->instance->link.state >= LINK_ENDED;
    request->keep_processes = session->keep_processes;
    request->linger_ms = run_session_left_ms(session) + END_GRACE_MS;
    request->seconds_left = (double)run_session_left_ms(session) / 1000;
    request->cpu_left_us = left_of(session->limits.cpu_seconds * 1e6,
                                   (double)(session->cpu_us + cpu_us_of(run->result)));
    request->output_left =
        left_of((double)session->limits.output_bytes, (double)session->output_bytes);
}

/* Why the session is over after a request that has used so much in addition; NULL: it is not. */
static char *why_used_up(const struct run_session *session, long long cpu_us,
                         unsigned long long output_bytes)
{
    const struct session_limits *limits = &session->limits;
    const unsigned long long output = session->output_bytes + output_bytes;

    if ((double)(session->cpu_us + cpu_us) >= limits->cpu_seconds * 1e6)
        return string_format("its CPU time (%.10g s) is used up", limits->cpu_seconds);
    if (output < limits->output_bytes)
        return NULL;
    return limits->output_bytes % MIB == 0
               ? string_format("its output (%llu MiB) is used up", limits->output_bytes / MIB)
               : string_format("its output (%llu bytes) is used up", limits->output_bytes);
}

/* Adds to the error of a cell that did not end by its code what became of the session's state. */
static void explain_state(const struct run *run, bool stays)
{
    struct result *result = run->result;
    const struct capture *output = run->output.capture;
    CLEANUP_FREE char *over =
        why_used_up(run->session, cpu_us_of(result), output[0].total + output[1].total);
    CLEANUP_FREE char *error = result->error;
    const char *state = over || !instance_is_idle(run->instance) ? "variables and files are lost"
                        : stays                                  ? "variables are kept"
                                : "variables are lost, files are kept";

    if (error)
        result->error = string_format("%s; %s", error, state);
    else
        strvec_pushf(&result->warnings, "the cell ended its interpreter: %s", state);
}

/*
 * Figures that a cell shows come instead of the pictures that it writes without being asked: they
 * are mostly the same.
 */
static void read_report(struct run *run, const struct strbuf *report)
{
    struct result *result = run->result;
    struct artifacts pictures = ARTIFACTS_INIT;
    struct artifacts *artifacts = &result->artifacts;

    if (run->plan->unasked) {
        pictures = *artifacts;
        *artifacts = (struct artifacts)ARTIFACTS_INIT;
    }
    cell_read_report(report, run->plan, &run->session->last_figure, result);
    if (run->plan->unasked && artifacts->count + artifacts->missing.count == 0) {
        *artifacts = pictures;
        return;
    }
    for (size_t i = 0; i < pictures.count; i++)
        unasked_add_name(result, pictures.items[i].name);
    artifacts_release(&pictures);
}

int run_session_cell(struct run *run, long long deadline, bool *begun, struct error *error)
{
    CLEANUP(strbuf_release) struct strbuf cell = STRBUF_INIT;
    CLEANUP(strbuf_release) struct strbuf report = STRBUF_MAX(SUPERVISOR_REPORT_MAX);
    struct program_run program = run_program_of(run, "the cell", &run->output, run->result);
    struct run_session *session = run->session;
    bool stays;

    *begun = false;
    if (cell_write(run->plan, session->requests + 1, &cell, error) != 0)
        return -1;
    program.request.command = &run->plan->session_command;
    program.request.environment = &run->plan->public_environment;
    program.request.cell = &cell;
    program.request.interpreter_waits = session->interpreter;
    program.report = &report;
    if (run->plan->input.files.count == 0 && run->plan->paths.count == 0)
        program.request.archive = -1;
    if (run_main_program(run, &program, deadline, begun, error) != 0)
        return -1;
    stays = program_interpreter_stays(&program);
    session->interpreter = stays;
    if (run->result->reason != REASON_EXIT || !stays)
        explain_state(run, stays);
    if (stays)
        read_report(run, &report);
    return 0;
}

/* ---- the session after a request */

/* Makes the instance independent of the plan that it was made for. */
static void adopt(struct run_session *session, struct instance *instance)
{
    struct owned_container *container = &instance->container;

    if (container->image != session->image) {
        free(session->image);
        session->image = string_copy(container->image);
        container->image = session->image;
    }
    container->base = container->language = NULL;
    session->instance = instance;
}

/* Gives the instance to the session, if another request can use it. */
static void settle(struct run *run, bool used)
{
    struct run_session *session = run->session;
    struct result *result = run->result;
    const bool idle = run->instance && instance_is_idle(run->instance);

    session->cpu_us += cpu_us_of(result);
    session->output_bytes += result->bytes[0] + result->bytes[1];
    remember_artifacts(session, &result->artifacts);
    session->ended = why_used_up(session, 0, 0);
    if (!idle && !session->ended && (used || session->requests > 0))
        session->ended = string_copy(RUN_SESSION_CONTAINER_ENDED);
    if (idle && !session->ended)
        adopt(session, steal_instance(&run->instance));
    else
        session->interpreter = false;
    result->session->state_kept = session->interpreter;
    result->session->ended = session->ended ? string_copy(session->ended) : NULL;
}

void run_execute_in_session(struct run *run, struct run_session *session, struct instance *warm)
{
    const bool used = session->instance != NULL;

    run->session = session;
    if (used)
        run_execute_again(run, steal_instance(&session->instance));
    else
        run_execute(run, warm);
    settle(run, used);
}

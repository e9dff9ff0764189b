#include "run/run_session.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "run/run_state.h"
#include "run/verdict.h"

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
    free(session->ended);
    terminator_free(session->terminator);
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

struct instance *run_session_take(struct run_session *session)
{
    return steal_instance(&session->instance);
}

int run_session_begin(struct run *run, struct error *error)
{
    if (run->session->interpreter && plan_kind(run->plan) != PLAN_CELL)
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

void run_session_set_program(const struct run *run, struct program_request *request)
{
    const struct run_session *session = run->session;

    request->reset = run->instance->link.state >= LINK_ENDED;
    request->keep_processes = session->keep_processes;
    request->samples_memory = !run->result->session;
    request->linger_ms = run_session_left_ms(session) + END_GRACE_MS;
    request->seconds_left = (double)run_session_left_ms(session) / 1000;
    request->cpu_left_us = left_of(session->limits.cpu_seconds * 1e6,
                                   (double)(session->cpu_us + cpu_us_of(run->result)));
    request->output_left =
        left_of((double)session->limits.output_bytes, (double)session->output_bytes);
}

/* The same after so much more CPU time. */
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

char *run_session_why_used_up(const struct run_session *session, const struct result *result,
                              unsigned long long output_bytes)
{
    return why_used_up(session, cpu_us_of(result), output_bytes);
}

/* ---- the session after a request */

void run_session_take_run(struct run *run, bool used)
{
    struct run_session *session = run->session;
    struct result *result = run->result;
    const bool idle = run->instance && instance_is_idle(run->instance);

    /* in a workspace: the maximum of the container is that of all commands */
    if (!result->session && run->instance && run->instance->link.has_end)
        result->peak_bytes = verdict_figure(run->instance->link.end.used_bytes);
    session->cpu_us += cpu_us_of(result);
    session->output_bytes += result->bytes[0] + result->bytes[1];
    remember_artifacts(session, &result->artifacts);
    session->ended = why_used_up(session, 0, 0);
    if (!idle && !session->ended && (used || session->requests > 0))
        session->ended = string_copy(RUN_SESSION_CONTAINER_ENDED);
    if (idle && !session->ended)
        session->instance = steal_instance(&run->instance);
    else
        session->interpreter = false;
    if (!result->session) /* a visit of a workspace */
        return;
    result->session->state_kept = session->interpreter;
    result->session->ended = session->ended ? string_copy(session->ended) : NULL;
}

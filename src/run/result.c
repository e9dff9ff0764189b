#include "run/result.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_make.h"
#include "base/memory.h"
#include "base/signal_name.h"
#include "base/text.h"

static const char *const reason_names[] = {
    [REASON_EXIT] = "exit",
    [REASON_SIGNAL] = "signal",
    [REASON_TIMEOUT] = "timeout",
    [REASON_CPU_TIME] = "cpu-time",
    [REASON_OOM] = "oom",
    [REASON_OUTPUT_LIMIT] = "output-limit",
    [REASON_CANCELLED] = "cancelled",
    [REASON_ENGINE] = "engine",
    [REASON_IMAGE_MISSING] = "image-missing",
    [REASON_COMMAND] = "command",
    [REASON_INPUT] = "input",
    [REASON_BUILD] = "build",
    [REASON_TESTS] = "tests",
    [REASON_EXCEPTION] = "exception",
    [REASON_JUDGE] = "judge-error",
};

const char *result_reason(const struct result *result)
{
    return reason_names[result->reason];
}

bool result_success(const struct result *result)
{
    return result->reason == REASON_EXIT && result->exit_code == 0 && !result->error;
}

const char *result_status(const struct result *result)
{
    if (result->reason == REASON_TIMEOUT || result->reason == REASON_CPU_TIME)
        return "timeout";
    return result_success(result) ? "success" : "error";
}

static enum reason reason_of(enum error_kind kind)
{
    switch (kind) {
    case ERROR_IMAGE:
        return REASON_IMAGE_MISSING;
    case ERROR_COMMAND:
        return REASON_COMMAND;
    case ERROR_CANCELLED:
        return REASON_CANCELLED;
    case ERROR_JUDGE:
        return REASON_JUDGE;
    case ERROR_INPUT:
    case ERROR_USAGE:
    case ERROR_CONFIG:
        return REASON_INPUT;
    case ERROR_NONE:
    case ERROR_ENGINE:
    case ERROR_SYSTEM:
        break;
    }
    return REASON_ENGINE;
}

void result_fail(struct result *result, const struct error *error)
{
    free(result->error);
    result->error = text_escape(error->message);
    result->error_subject = error->subject;
    if (error->subject) {
        CLEANUP_FREE char *before = string_format("%.*s", (int)error->subject_at, error->message);
        CLEANUP_FREE char *escaped = text_escape(before);

        result->error_subject_at = strlen(escaped);
    }
    result->reason = reason_of(error->kind);
}

void result_add_hint(struct result *result, char *hint)
{
    char **items;

    strvec_push_owned(&result->warnings, hint);
    items = result->warnings.items;
    memmove(items + result->hints + 1, items + result->hints,
            (result->warnings.count - 1 - result->hints) * sizeof *items);
    items[result->hints++] = hint;
}

void result_name_subject(struct result *result, error_namer *namer)
{
    const char *name = result->error_subject ? namer(result->error_subject) : NULL;
    char *message;

    if (!name)
        return;
    message = error_rename(result->error, result->error_subject, result->error_subject_at, name);
    free(result->error);
    result->error = message;
    result->error_subject = NULL;
}

static json_t *build_to_json(struct build_result *build)
{
    json_t *object = json_object();

    json_object_set_new(object, "exitCode", json_integer(build->exit_code));
    json_object_set_new(object, "signal", json_make_text(signal_name(build->signal)));
    json_object_set_new(object, "durationMs", json_integer(build->duration_ms));
    json_object_set_new(object, "cpuMs",
                        json_make_count(build->cpu_us < 0 ? -1 : build->cpu_us / 1000));
    json_object_set_new(object, "stdout", json_make_taken(&build->text[0]));
    json_object_set_new(object, "stderr", json_make_taken(&build->text[1]));
    json_object_set_new(object, "stdoutTruncated", json_boolean(build->truncated[0]));
    json_object_set_new(object, "stderrTruncated", json_boolean(build->truncated[1]));
    return object;
}

struct session_result *result_add_session(struct result *result, const char *id)
{
    struct session_result *session = memory_allocate(sizeof *session);

    *session =
        (struct session_result){.value = STRBUF_INIT, .names = STRVEC_INIT, .files = STRVEC_INIT};
    snprintf(session->id, sizeof session->id, "%s", id);
    result->session = session;
    return session;
}

void result_add_network(struct result *result)
{
    result->network = memory_allocate(sizeof *result->network);
    *result->network = (struct network_log)NETWORK_LOG_INIT;
}

void result_add_tools(struct result *result)
{
    result->tools = memory_allocate(sizeof *result->tools);
    *result->tools = (struct tool_log)TOOL_LOG_INIT;
}

/* Adds the members that only requests of a session have. */
static void add_session(json_t *object, struct session_result *session)
{
    json_object_set_new(object, "session", json_string(session->id));
    if (session->cell) {
        json_object_set_new(object, "value",
                            session->has_value ? json_make_taken(&session->value) : json_null());
        if (session->value_cut)
            json_object_set_new(object, "valueTruncated", json_true());
        json_object_set_new(object, "stateKept", json_boolean(session->state_kept));
    }
    json_object_set_new(object, "sessionEnded", json_make_text(session->ended));
}

/* Adds the members that only requests with a build, with a network, with tools or with tests have.
 */
static void add_parts(json_t *object, struct result *result)
{
    const struct case_summary summary = case_results_summary(&result->tests);

    if (result->build)
        json_object_set_new(object, "build", build_to_json(result->build));
    if (result->network)
        json_object_set_new(object, "network", network_log_to_json(result->network));
    if (result->tools) {
        json_object_set_new(object, "toolCalls", tool_log_calls(result->tools));
        json_object_set_new(object, "toolCallCounts", tool_log_counts(result->tools));
    }
    if (result->tests.count > 0)
        json_object_set_new(object, "summary", case_summary_to_json(&summary));
    if (result->tests.group_count > 1)
        json_object_set_new(object, "groups", case_results_groups_to_json(&result->tests));
}

json_t *result_to_json(struct result *result)
{
    json_t *object = json_object();
    json_t *warnings = json_array();

    for (size_t i = 0; i < result->warnings.count; i++)
        json_array_append_new(warnings, json_string(result->warnings.items[i]));
    for (size_t i = 0; i < result->artifacts.missing.count; i++)
        json_array_append_new(warnings, json_string(result->artifacts.missing.items[i]));
    if (result->retries > 0)
        json_object_set_new(object, "retries", json_integer(result->retries));
    json_object_set_new(object, "status", json_string(result_status(result)));
    json_object_set_new(object, "exitCode", json_integer(result->exit_code));
    json_object_set_new(object, "stdout", json_make_taken(&result->text[0]));
    json_object_set_new(object, "stderr", json_make_taken(&result->text[1]));
    json_object_set_new(object, "durationMs", json_integer(result->duration_ms));
    json_object_set_new(object, "error", json_make_text(result->error));
    json_object_set_new(object, "imageTag", json_make_text(result->image_tag));
    json_object_set_new(object, "reason", json_string(result_reason(result)));
    json_object_set_new(object, "signal", json_make_text(signal_name(result->signal)));
    json_object_set_new(object, "stdoutBytes", json_integer((json_int_t)result->bytes[0]));
    json_object_set_new(object, "stderrBytes", json_integer((json_int_t)result->bytes[1]));
    json_object_set_new(object, "stdoutTruncated", json_boolean(result->truncated[0]));
    json_object_set_new(object, "stderrTruncated", json_boolean(result->truncated[1]));
    json_object_set_new(object, "peakMemoryBytes", json_make_count(result->peak_bytes));
    json_object_set_new(object, "cpuMs",
                        json_make_count(result->cpu_us < 0 ? -1 : result->cpu_us / 1000));
    json_object_set_new(object, "image", json_make_text(result->image));
    json_object_set_new(object, "container", json_make_text(result->container));
    json_object_set_new(object, "warm", json_boolean(result->warm));
    if (result->ready)
        json_object_set_new(object, "ready", json_true());
    if (result->shared) {
        json_object_set_new(object, "shared", json_true());
        json_object_set_new(object, "served", json_integer(result->served));
    }
    if (result->session)
        add_session(object, result->session);
    json_object_set_new(object, "artifacts", artifacts_to_json(&result->artifacts));
    json_object_set_new(object, "warnings", warnings);
    add_parts(object, result);
    return object;
}

static void build_result_free(struct build_result *build)
{
    if (!build)
        return;
    strbuf_release(&build->text[0]);
    strbuf_release(&build->text[1]);
    free(build);
}

void result_drop_session(struct result *result)
{
    if (!result->session)
        return;
    strbuf_release(&result->session->value);
    strvec_release(&result->session->names);
    strvec_release(&result->session->files);
    free(result->session->ended);
    free(result->session);
    result->session = NULL;
}

void result_move_files(struct result *from, struct result *to)
{
    artifacts_release(&to->artifacts);
    strvec_release(&to->unreturned);
    to->artifacts = from->artifacts;
    to->unreturned = from->unreturned;
    to->unreturned_count = from->unreturned_count;
    from->artifacts = (struct artifacts)ARTIFACTS_INIT;
    from->unreturned = (struct strvec)STRVEC_INIT;
    from->unreturned_count = 0;
}

void result_release(struct result *result)
{
    strbuf_release(&result->text[0]);
    strbuf_release(&result->text[1]);
    free(result->error);
    free(result->image_tag);
    free(result->image);
    free(result->container);
    free(result->checker_image);
    free(result->checker_container);
    build_result_free(result->build);
    result_drop_session(result);
    if (result->network)
        network_log_release(result->network);
    free(result->network);
    if (result->tools)
        tool_log_release(result->tools);
    free(result->tools);
    case_results_release(&result->tests);
    artifacts_release(&result->artifacts);
    strvec_release(&result->unreturned);
    strvec_release(&result->warnings);
}

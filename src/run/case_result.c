#include "run/case_result.h"

#include <stdlib.h>

#include "base/json_make.h"
#include "base/signal_name.h"
#include "run/result.h"

static const char *const status_names[] = {
    [TEST_NOT_RUN] = "not-run",
    [TEST_PASSED] = "passed",
    [TEST_WRONG_ANSWER] = "wrong-answer",
    [TEST_TIMEOUT] = "timeout",
    [TEST_CPU_TIME] = "cpu-time",
    [TEST_OOM] = "oom",
    [TEST_OUTPUT_LIMIT] = "output-limit",
    [TEST_RUNTIME_ERROR] = "runtime-error",
    [TEST_ENGINE] = "engine",
    [TEST_PARTLY_RIGHT] = "partly-right",
    [TEST_JUDGE_ERROR] = "judge-error",
};

static const char *const group_status_names[] = {
    [GROUP_UNKNOWN] = "unknown",
    [GROUP_PASSED] = "passed",
    [GROUP_FAILED] = "failed",
    [GROUP_BLOCKED] = "blocked",
};

const char *case_status_name(enum case_status status)
{
    return status_names[status];
}

enum case_status case_status_of(const struct result *program)
{
    switch (program->reason) {
    case REASON_TIMEOUT:
        return TEST_TIMEOUT;
    case REASON_CPU_TIME:
        return TEST_CPU_TIME;
    case REASON_OOM:
        return TEST_OOM;
    case REASON_OUTPUT_LIMIT:
        return TEST_OUTPUT_LIMIT;
    case REASON_CANCELLED:
        return TEST_NOT_RUN;
    case REASON_EXIT:
        return program->exit_code == 0 ? TEST_PASSED : TEST_RUNTIME_ERROR;
    case REASON_SIGNAL:
        return TEST_RUNTIME_ERROR;
    case REASON_ENGINE:
    case REASON_IMAGE_MISSING:
    case REASON_COMMAND:
    case REASON_INPUT:
    case REASON_BUILD:
    case REASON_TESTS:
    case REASON_EXCEPTION:
    case REASON_JUDGE:
        break;
    }
    return TEST_ENGINE;
}

const char *group_status_name(enum group_status status)
{
    return group_status_names[status];
}

struct case_summary case_results_summary(const struct case_results *results)
{
    struct case_summary summary = {.total = results->count, .all = results->groups};

    for (size_t i = 0; i < results->count; i++) {
        if (results->items[i].status == TEST_PASSED)
            summary.passed++;
        else if (summary.failed++ == 0)
            summary.first_failure = results->items[i].name;
    }
    return summary;
}

bool case_results_have_begun(const struct case_results *results)
{
    for (size_t i = 0; i < results->count; i++)
        if (results->items[i].status != TEST_NOT_RUN)
            return true;
    return false;
}

static json_t *interactor_to_json(struct interactor_result *result)
{
    json_t *object = json_object();

    json_object_set_new(object, "exitCode", json_integer(result->exit_code));
    json_object_set_new(object, "signal", json_make_text(signal_name(result->signal)));
    json_object_set_new(object, "durationMs", json_integer(result->duration_ms));
    json_object_set_new(object, "cpuMs",
                        json_make_count(result->cpu_us < 0 ? -1 : result->cpu_us / 1000));
    json_object_set_new(object, "stderr", json_make_taken(&result->error_text));
    json_object_set_new(object, "stderrTruncated", json_boolean(result->truncated));
    json_object_set_new(object, "relayed", json_boolean(result->relayed));
    json_object_set_new(object, "transcript",
                        result->has_transcript ? json_make_taken(&result->transcript)
                                               : json_null());
    json_object_set_new(object, "transcriptTruncated", json_boolean(result->transcript_truncated));
    return object;
}

/* JSON has no number for one that is not known, and none for infinity. */
static json_t *make_score(double score)
{
    return isfinite(score) ? json_real(score) : json_null();
}

json_t *case_result_to_json(struct case_result *result)
{
    json_t *object = json_object();

    json_object_set_new(object, "name", json_string(result->name));
    json_object_set_new(object, "status", json_string(case_status_name(result->status)));
    json_object_set_new(object, "exitCode", json_integer(result->exit_code));
    json_object_set_new(object, "signal", json_make_text(signal_name(result->signal)));
    json_object_set_new(object, "durationMs", json_integer(result->duration_ms));
    json_object_set_new(object, "cpuMs",
                        json_make_count(result->cpu_us < 0 ? -1 : result->cpu_us / 1000));
    json_object_set_new(object, "peakMemoryBytes", json_make_count(result->peak_bytes));
    json_object_set_new(object, "stdout", json_make_taken(&result->text[0]));
    json_object_set_new(object, "stderr", json_make_taken(&result->text[1]));
    json_object_set_new(object, "stdoutTruncated", json_boolean(result->truncated[0]));
    json_object_set_new(object, "stderrTruncated", json_boolean(result->truncated[1]));
    if (result->is_call) {
        json_object_set_new(object, "value",
                            result->has_value ? json_make_taken(&result->value) : json_null());
        json_object_set_new(object, "valueTruncated", json_boolean(result->value_truncated));
    }
    json_object_set_new(object, "error", json_make_text(result->message));
    json_object_set_new(object, "score", make_score(result->score));
    if (isfinite(result->max_score))
        json_object_set_new(object, "maxScore", json_real(result->max_score));
    if (result->interactor)
        json_object_set_new(object, "interactor", interactor_to_json(result->interactor));
    return object;
}

json_t *case_summary_to_json(const struct case_summary *summary)
{
    json_t *object = json_pack("{s:I, s:I, s:I, s:s?}", "passed", (json_int_t)summary->passed,
                               "failed", (json_int_t)summary->failed, "total",
                               (json_int_t)summary->total, "firstFailure", summary->first_failure);

    if (!summary->all)
        return object;
    json_object_set_new(object, "score", make_score(summary->all->score));
    json_object_set_new(object, "maxScore", make_score(summary->all->max_score));
    json_object_set_new(object, "fraction",
                        json_real((double)summary->passed / (double)summary->total));
    return object;
}

json_t *case_results_groups_to_json(const struct case_results *results)
{
    json_t *array = json_array();

    for (size_t i = 1; i < results->group_count; i++) {
        const struct group_result *group = &results->groups[i];

        json_array_append_new(
            array, json_pack("{s:s, s:s, s:o, s:o, s:I, s:I}", "name", group->name, "status",
                             group_status_name(group->status), "score", make_score(group->score),
                             "maxScore", make_score(group->max_score), "passed",
                             (json_int_t)group->passed, "total", (json_int_t)group->total));
    }
    return array;
}

void case_result_release(struct case_result *result)
{
    free(result->name);
    strbuf_release(&result->text[0]);
    strbuf_release(&result->text[1]);
    strbuf_release(&result->value);
    free(result->message);
    if (result->interactor) {
        strbuf_release(&result->interactor->error_text);
        strbuf_release(&result->interactor->transcript);
    }
    free(result->interactor);
    *result = (struct case_result)CASE_RESULT_INIT;
}

void case_results_drop_groups(struct case_results *results)
{
    for (size_t i = 0; i < results->group_count; i++)
        free(results->groups[i].name);
    free(results->groups);
    results->groups = NULL;
    results->group_count = 0;
}

void case_results_release(struct case_results *results)
{
    for (size_t i = 0; i < results->count; i++)
        case_result_release(&results->items[i]);
    free(results->items);
    case_results_drop_groups(results);
    free(results->grades);
    *results = (struct case_results)CASE_RESULTS_INIT;
}

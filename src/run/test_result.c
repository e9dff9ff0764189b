#include "run/test_result.h"

#include <stdlib.h>

#include "base/memory.h"
#include "run/result.h"

static const char *const status_names[] = {
    [TEST_PASSED] = "passed",
    [TEST_WRONG_ANSWER] = "wrong-answer",
    [TEST_TIMEOUT] = "timeout",
    [TEST_CPU_TIME] = "cpu-time",
    [TEST_OOM] = "oom",
    [TEST_OUTPUT_LIMIT] = "output-limit",
    [TEST_RUNTIME_ERROR] = "runtime-error",
    [TEST_NOT_RUN] = "not-run",
    [TEST_ENGINE] = "engine",
};

void test_results_init(struct test_results *results, size_t count)
{
    *results = (struct test_results){memory_allocate(count * sizeof *results->items), count};
    for (size_t i = 0; i < count; i++)
        results->items[i] = (struct test_result)TEST_RESULT_INIT;
}

void test_results_release(struct test_results *results)
{
    for (size_t i = 0; i < results->count; i++) {
        struct test_result *result = &results->items[i];

        free(result->name);
        strbuf_release(&result->text[0]);
        strbuf_release(&result->text[1]);
        free(result->message);
    }
    free(results->items);
    *results = (struct test_results)TEST_RESULTS_INIT;
}

const char *test_result_status(const struct test_result *result)
{
    return status_names[result->status];
}

bool test_result_failed(const struct test_result *result)
{
    return result->status != TEST_PASSED && result->status != TEST_NOT_RUN &&
           result->status != TEST_ENGINE;
}

struct test_summary test_results_summary(const struct test_results *results)
{
    struct test_summary summary = {.total = results->count};

    for (size_t i = 0; i < results->count; i++) {
        const struct test_result *result = &results->items[i];

        summary.passed += result->status == TEST_PASSED;
        summary.not_run += result->status == TEST_NOT_RUN;
        summary.engine += result->status == TEST_ENGINE;
        if (!test_result_failed(result))
            continue;
        summary.failed++;
        if (!summary.first_failure)
            summary.first_failure = result->name;
    }
    return summary;
}

static json_t *text_or_null(const char *text)
{
    return text ? json_string(text) : json_null();
}

static json_t *count_or_null(long long count)
{
    return count < 0 ? json_null() : json_integer(count);
}

/* A string of the text, which is emptied. */
static json_t *take_text(struct strbuf *text)
{
    json_t *string = json_stringn_nocheck(strbuf_string(text), text->length);

    strbuf_release(text);
    return string;
}

static json_t *test_result_to_json(struct test_result *result)
{
    json_t *object = json_object();

    json_object_set_new(object, "name", json_string(result->name));
    json_object_set_new(object, "status", json_string(test_result_status(result)));
    json_object_set_new(object, "exitCode", json_integer(result->exit_code));
    json_object_set_new(object, "signal", text_or_null(result_signal(result->signal)));
    json_object_set_new(object, "durationMs", json_integer(result->duration_ms));
    json_object_set_new(object, "cpuMs", count_or_null(result->cpu_ms));
    json_object_set_new(object, "peakMemoryBytes", count_or_null(result->peak_memory_bytes));
    json_object_set_new(object, "stdout", take_text(&result->text[0]));
    json_object_set_new(object, "stderr", take_text(&result->text[1]));
    json_object_set_new(object, "stdoutTruncated", json_boolean(result->truncated[0]));
    json_object_set_new(object, "stderrTruncated", json_boolean(result->truncated[1]));
    json_object_set_new(object, "error", text_or_null(result->message));
    return object;
}

json_t *test_results_to_json(struct test_results *results)
{
    json_t *array = json_array();

    for (size_t i = 0; i < results->count; i++)
        json_array_append_new(array, test_result_to_json(&results->items[i]));
    return array;
}

json_t *test_results_summary_to_json(const struct test_results *results)
{
    const struct test_summary summary = test_results_summary(results);
    json_t *object = json_object();

    json_object_set_new(object, "passed", json_integer((json_int_t)summary.passed));
    json_object_set_new(object, "failed", json_integer((json_int_t)summary.failed));
    json_object_set_new(object, "total", json_integer((json_int_t)summary.total));
    json_object_set_new(object, "firstFailure", text_or_null(summary.first_failure));
    return object;
}

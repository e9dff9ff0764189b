#include "test.h"

#include "run/test_result.h"

/* The JSON of an object, released, as a text; owned. */
static char *json_text(json_t *object)
{
    char *text = json_dumps(object, 0);

    json_decref(object);
    return text;
}

static void test_result__json_of_a_test_that_did_not_run(void **state)
{
    CLEANUP(test_results_release) struct test_results results = TEST_RESULTS_INIT;
    CLEANUP_FREE char *text = NULL;

    (void)state;
    test_results_init(&results, 1);
    results.items[0].name = string_copy("a");
    text = json_text(test_results_to_json(&results));
    assert_string_equal(
        text, "[{\"name\": \"a\", \"status\": \"not-run\", \"exitCode\": -1, \"signal\": null, "
              "\"durationMs\": 0, \"cpuMs\": null, \"peakMemoryBytes\": null, \"stdout\": \"\", "
              "\"stderr\": \"\", \"stdoutTruncated\": false, \"stderrTruncated\": false, "
              "\"error\": null}]");
}

static void test_result__json(void **state)
{
    CLEANUP(test_results_release) struct test_results results = TEST_RESULTS_INIT;
    struct test_result *result;
    CLEANUP_FREE char *text = NULL;

    (void)state;
    test_results_init(&results, 1);
    result = &results.items[0];
    result->name = string_copy("sample-1");
    result->status = TEST_RUNTIME_ERROR;
    result->exit_code = 139;
    result->signal = 11;
    result->duration_ms = 12;
    result->cpu_ms = 9;
    result->peak_memory_bytes = 4096;
    strbuf_add(&result->text[0], "o\0ut", 4);
    strbuf_addstr(&result->text[1], "err");
    result->truncated[1] = true;
    result->message = string_copy("it ended");
    text = json_text(test_results_to_json(&results));
    assert_string_equal(
        text, "[{\"name\": \"sample-1\", \"status\": \"runtime-error\", \"exitCode\": 139, "
              "\"signal\": \"SIGSEGV\", \"durationMs\": 12, \"cpuMs\": 9, "
              "\"peakMemoryBytes\": 4096, \"stdout\": \"o\\u0000ut\", \"stderr\": \"err\", "
              "\"stdoutTruncated\": false, \"stderrTruncated\": true, \"error\": \"it ended\"}]");
    assert_int_equal(result->text[0].length, 0);
}

static const struct {
    enum test_status status;
    const char *name;
    bool failed;
} all[] = {
    {TEST_PASSED, "passed", false},
    {TEST_NOT_RUN, "not-run", false},
    {TEST_ENGINE, "engine", false},
    {TEST_WRONG_ANSWER, "wrong-answer", true},
    {TEST_TIMEOUT, "timeout", true},
    {TEST_CPU_TIME, "cpu-time", true},
    {TEST_OOM, "oom", true},
    {TEST_OUTPUT_LIMIT, "output-limit", true},
    {TEST_RUNTIME_ERROR, "runtime-error", true},
};

static void test_result__statuses(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(all); i++) {
        const struct test_result result = {.status = all[i].status};

        assert_string_equal(test_result_status(&result), all[i].name);
        assert_int_equal(test_result_failed(&result), all[i].failed);
    }
}

static void test_result__summary(void **state)
{
    CLEANUP(test_results_release) struct test_results results = TEST_RESULTS_INIT;
    CLEANUP_FREE char *text = NULL;
    struct test_summary summary;

    (void)state;
    test_results_init(&results, COUNT(all));
    for (size_t i = 0; i < COUNT(all); i++) {
        results.items[i].name = string_copy(all[i].name);
        results.items[i].status = all[i].status;
    }
    summary = test_results_summary(&results);
    assert_int_equal(summary.passed, 1);
    assert_int_equal(summary.not_run, 1);
    assert_int_equal(summary.engine, 1);
    assert_int_equal(summary.failed, 6);
    assert_int_equal(summary.total, 9);
    assert_string_equal(summary.first_failure, "wrong-answer");
    text = json_text(test_results_summary_to_json(&results));
    assert_string_equal(
        text, "{\"passed\": 1, \"failed\": 6, \"total\": 9, \"firstFailure\": \"wrong-answer\"}");
}

static void test_result__summary_without_a_failure(void **state)
{
    CLEANUP(test_results_release) struct test_results results = TEST_RESULTS_INIT;
    CLEANUP_FREE char *text = NULL;

    (void)state;
    test_results_init(&results, 2);
    results.items[0].status = TEST_ENGINE;
    text = json_text(test_results_summary_to_json(&results));
    assert_string_equal(text,
                        "{\"passed\": 0, \"failed\": 0, \"total\": 2, \"firstFailure\": null}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_result__json_of_a_test_that_did_not_run),
        cmocka_unit_test(test_result__json),
        cmocka_unit_test(test_result__statuses),
        cmocka_unit_test(test_result__summary),
        cmocka_unit_test(test_result__summary_without_a_failure),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "test.h"

#include "base/memory.h"
#include "run/case_result.h"

static void check_json(json_t *object, const char *expected)
{
    CLEANUP_FREE char *text = json_dumps(object, 0);

    json_decref(object);
    assert_string_equal(text, expected);
}

CASE(case_result__json_of_a_test_that_did_not_run)
{
    struct case_result result = CASE_RESULT_INIT;

    result.name = string_copy("a");
    check_json(case_result_to_json(&result),
               "{\"name\": \"a\", \"status\": \"not-run\", \"exitCode\": -1, \"signal\": null, "
               "\"durationMs\": 0, \"cpuMs\": null, \"peakMemoryBytes\": null, \"stdout\": \"\", "
               "\"stderr\": \"\", \"stdoutTruncated\": false, \"stderrTruncated\": false, "
               "\"error\": null, \"score\": null}");
    case_result_release(&result);
}

CASE(case_result__json)
{
    struct case_result result = {.name = string_copy("sample-1"),
                                 .status = TEST_RUNTIME_ERROR,
                                 .exit_code = 139,
                                 .signal = 11,
                                 .duration_ms = 12,
                                 .cpu_us = 9999,
                                 .peak_bytes = 4096,
                                 .truncated = {false, true},
                                 .message = string_copy("it ended"),
                                 .score = NAN,
                                 .max_score = NAN};

    strbuf_add(&result.text[0], "o\0ut", 4);
    strbuf_addstr(&result.text[1], "err");
    check_json(case_result_to_json(&result),
               "{\"name\": \"sample-1\", \"status\": \"runtime-error\", \"exitCode\": 139, "
               "\"signal\": \"SIGSEGV\", \"durationMs\": 12, \"cpuMs\": 9, "
               "\"peakMemoryBytes\": 4096, \"stdout\": \"o\\u0000ut\", \"stderr\": \"err\", "
               "\"stdoutTruncated\": false, \"stderrTruncated\": true, \"error\": \"it ended\", "
               "\"score\": null}");
    assert_int_equal(result.text[0].length, 0);
    case_result_release(&result);
}

CASE(case_result__json_of_an_interactor)
{
    struct interactor_result *interactor = memory_allocate(sizeof *interactor);
    struct case_result result = CASE_RESULT_INIT;
    json_t *object;

    *interactor = (struct interactor_result){.exit_code = 139,
                                             .signal = 11,
                                             .duration_ms = 7,
                                             .cpu_us = -1,
                                             .relayed = true,
                                             .has_transcript = true,
                                             .transcript_truncated = true};
    strbuf_addstr(&interactor->error_text, "err");
    strbuf_addstr(&interactor->transcript, ">a\n");
    result.name = string_copy("1");
    result.interactor = interactor;
    object = case_result_to_json(&result);
    check_json(json_incref(json_object_get(object, "interactor")),
               "{\"exitCode\": 139, \"signal\": \"SIGSEGV\", \"durationMs\": 7, \"cpuMs\": null, "
               "\"stderr\": \"err\", \"stderrTruncated\": false, \"relayed\": true, "
               "\"transcript\": \">a\\n\", \"transcriptTruncated\": true}");
    json_decref(object);
    case_result_release(&result);
    assert_null(result.interactor);
}

/* A score is a number for every status, 0 too. */
CASE(case_result__json_of_a_score)
{
    static const struct {
        double score;
        const char *text;
    } scores[] = {{0, "0.0"}, {2.5, "2.5"}, {-1, "-1.0"}, {100, "100.0"}, {NAN, "null"}};

    for (size_t i = 0; i < COUNT(scores); i++) {
        struct case_result result = CASE_RESULT_INIT;
        CLEANUP_FREE char *expected =
            string_format(", \"error\": null, \"score\": %s}", scores[i].text);
        CLEANUP_FREE char *text = NULL;
        json_t *object;

        result.name = string_copy("a");
        result.status = TEST_PARTLY_RIGHT;
        result.score = scores[i].score;
        object = case_result_to_json(&result);
        text = json_dumps(object, JSON_REAL_PRECISION(15));
        assert_non_null(strstr(text, "\"status\": \"partly-right\""));
        assert_non_null(strstr(text, expected));
        json_decref(object);
        case_result_release(&result);
    }
}

CASE(case_result__json_of_points)
{
    struct case_result result = CASE_RESULT_INIT;
    CLEANUP_FREE char *text = NULL;
    json_t *object;

    result.name = string_copy("a");
    result.score = 2;
    result.max_score = 5;
    object = case_result_to_json(&result);
    text = json_dumps(object, 0);
    assert_non_null(strstr(text, ", \"score\": 2.0, \"maxScore\": 5.0}"));
    json_decref(object);
    case_result_release(&result);
}

static const struct {
    enum case_status status;
    const char *name;
} all[] = {
    {TEST_PASSED, "passed"},
    {TEST_WRONG_ANSWER, "wrong-answer"},
    {TEST_TIMEOUT, "timeout"},
    {TEST_CPU_TIME, "cpu-time"},
    {TEST_OOM, "oom"},
    {TEST_OUTPUT_LIMIT, "output-limit"},
    {TEST_RUNTIME_ERROR, "runtime-error"},
    {TEST_NOT_RUN, "not-run"},
    {TEST_ENGINE, "engine"},
    {TEST_PARTLY_RIGHT, "partly-right"},
    {TEST_JUDGE_ERROR, "judge-error"},
};

CASE(case_result__statuses)
{
    for (size_t i = 0; i < COUNT(all); i++)
        assert_string_equal(case_status_name(all[i].status), all[i].name);
}

/* The results of `count` tests, each with the name of its status. */
static struct case_results make_results(size_t count)
{
    struct case_results results = {.items = memory_allocate(count * sizeof *results.items),
                                   .count = count};

    for (size_t i = 0; i < count; i++) {
        results.items[i] = (struct case_result)CASE_RESULT_INIT;
        results.items[i].name = string_copy(all[i].name);
        results.items[i].status = all[i].status;
    }
    return results;
}

CASE(case_result__summary)
{
    CLEANUP(case_results_release) struct case_results results = make_results(COUNT(all));
    const struct case_summary summary = case_results_summary(&results);

    check_json(
        case_summary_to_json(&summary),
        "{\"passed\": 1, \"failed\": 10, \"total\": 11, \"firstFailure\": \"wrong-answer\"}");
}

CASE(case_result__summary_without_a_failure)
{
    CLEANUP(case_results_release) struct case_results results = make_results(1);
    const struct case_summary summary = case_results_summary(&results);

    check_json(case_summary_to_json(&summary),
               "{\"passed\": 1, \"failed\": 0, \"total\": 1, \"firstFailure\": null}");
}

CASE(case_result__groups)
{
    CLEANUP(case_results_release) struct case_results results = make_results(2);
    struct case_summary summary;

    results.groups = memory_allocate(3 * sizeof *results.groups);
    results.group_count = 3;
    results.groups[0] = (struct group_result){string_copy(""), GROUP_UNKNOWN, NAN, INFINITY, 1, 2};
    results.groups[1] = (struct group_result){string_copy("a"), GROUP_BLOCKED, 0, 60, 1, 1};
    results.groups[2] = (struct group_result){string_copy("b"), GROUP_PASSED, 2.5, 2.5, 0, 1};
    summary = case_results_summary(&results);
    check_json(case_summary_to_json(&summary),
               "{\"passed\": 1, \"failed\": 1, \"total\": 2, \"firstFailure\": "
               "\"wrong-answer\", \"score\": null, \"maxScore\": null, \"fraction\": 0.5}");
    check_json(case_results_groups_to_json(&results),
               "[{\"name\": \"a\", \"status\": \"blocked\", \"score\": 0.0, \"maxScore\": 60.0, "
               "\"passed\": 1, \"total\": 1}, {\"name\": \"b\", \"status\": \"passed\", "
               "\"score\": 2.5, \"maxScore\": 2.5, \"passed\": 0, \"total\": 1}]");
}

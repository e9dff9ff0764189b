#include "test.h"

#include <math.h>

#include "base/memory.h"
#include "base/yaml_text.h"
#include "cli/problem/expectation.h"

/* The rules of a text, whose document the caller releases. */
static struct submission_rules rules_of(const char *text, bool is_legacy)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const struct submission_rules rules = {yaml_text_parse(text, strlen(text), &error), is_legacy};

    assert_no_error(&error);
    return rules;
}

/* Stand for TEST_NOT_RUN, which ends the statuses of a result. */
#define DID_NOT_RUN ((enum case_status)99)
#define SKIPPED     ((enum case_status)98) /* since an earlier test is not accepted */

/* A result whose tests have these statuses, up to TEST_NOT_RUN, and this score of 100. */
static void fill_result(struct result *result, const enum case_status *statuses, double score)
{
    struct case_results *tests = &result->tests;

    result->reason = REASON_TESTS;
    while (statuses[tests->count] != TEST_NOT_RUN)
        if (statuses[tests->count++] == TEST_ENGINE)
            result->reason = REASON_ENGINE;
    tests->items = memory_allocate((tests->count + 1) * sizeof *tests->items);
    for (size_t i = 0; i < tests->count; i++) {
        tests->items[i] = (struct case_result)CASE_RESULT_INIT;
        tests->items[i].is_skipped = statuses[i] == SKIPPED;
        tests->items[i].status = statuses[i] >= SKIPPED ? TEST_NOT_RUN : statuses[i];
    }
    if (isnan(score))
        return;
    tests->groups = memory_allocate(sizeof *tests->groups);
    tests->group_count = 1;
    tests->groups[0] = (struct group_result){.score = score, .max_score = 100};
}

/* Expects "passed|expected: passed, as expected". */
static void check(const char *text, bool is_legacy, const char *path,
                  const enum case_status *statuses, double score, const char *expected)
{
    const struct submission_rules rules = rules_of(text, is_legacy);
    CLEANUP(expectation_release) struct expectation expectation = {.items = NULL};
    CLEANUP(result_release) struct result result = RESULT_INIT;
    CLEANUP_FREE char *shown = NULL, *got = NULL;

    expectation_find(&expectation, &rules, path);
    fill_result(&result, statuses, score);
    shown = expectation_text(&expectation);
    got = string_format("%s: %s, %s", shown ? shown : "-", expectation_verdict(&result),
                        expectation_is_met(&expectation, &result) ? "met" : "not met");
    assert_string_equal(got, expected);
    json_decref((json_t *)rules.document);
}

#define STATUSES(...)                                                                              \
    (const enum case_status[])                                                                     \
    {                                                                                              \
        __VA_ARGS__, TEST_NOT_RUN                                                                  \
    }
#define AC  TEST_PASSED
#define WA  TEST_WRONG_ANSWER
#define TLE TEST_CPU_TIME
#define RTE TEST_OOM

CASE(expectation__directories)
{
    static const struct {
        const char *path;
        enum case_status statuses[4];
        const char *expected, *legacy;
    } cases[] = {
        {"accepted/a", {AC, AC}, "passed: passed, met", NULL},
        {"accepted/a", {AC, WA}, "passed: wrong-answer, not met", NULL},
        {"accepted/a", {AC, DID_NOT_RUN}, "passed: not-run, not met", NULL},
        {"wrong_answer/a", {AC, WA}, "wrong-answer: wrong-answer, met", NULL},
        {"wrong_answer/a", {AC, WA, SKIPPED}, "wrong-answer: wrong-answer, met", NULL},
        {"wrong_answer/a", {AC, AC}, "wrong-answer: passed, not met", NULL},
        {"wrong_answer/a", {WA, TLE}, "wrong-answer: timeout, not met", NULL},
        {"time_limit_exceeded/a", {AC, TEST_TIMEOUT}, "timeout: timeout, met", NULL},
        {"time_limit_exceeded/a", {WA, TLE}, "timeout: timeout, not met", "timeout: timeout, met"},
        {"time_limit_exceeded/a", {RTE, TLE}, "timeout: runtime-error, not met", NULL},
        {"run_time_error/a", {AC, TEST_RUNTIME_ERROR}, "runtime-error: runtime-error, met", NULL},
        {"run_time_error/a",
         {WA, TEST_OUTPUT_LIMIT},
         "runtime-error: runtime-error, not met",
         "runtime-error: runtime-error, met"},
        {"rejected/a",
         {AC, WA},
         "wrong-answer or timeout or runtime-error: wrong-answer, met",
         NULL},
        {"rejected/a", {AC, AC}, "wrong-answer or timeout or runtime-error: passed, not met", NULL},
        {"brute_force/a", {AC, TLE}, "timeout or runtime-error: timeout, met", NULL},
        {"brute_force/a", {WA, TLE}, "timeout or runtime-error: timeout, not met", NULL},
        {"accepted/a", {AC, TEST_ENGINE}, "passed: engine, not met", NULL},
        {"other/a", {AC}, "-: passed, met", NULL},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        check("", false, cases[i].path, cases[i].statuses, NAN, cases[i].expected);
        check("", true, cases[i].path, cases[i].statuses, NAN,
              cases[i].legacy ? cases[i].legacy : cases[i].expected);
    }
}

CASE(expectation__scores)
{
    const char *const rules = "accepted/a: {score: 50}\naccepted/b: {score: [10, 20]}\n";

    check("", true, "partially_accepted/a", STATUSES(AC, WA), 50,
          "a part of the score: wrong-answer, met");
    check("", true, "partially_accepted/a", STATUSES(AC, WA), 100,
          "a part of the score: wrong-answer, not met");
    check("", true, "partially_accepted/a", STATUSES(AC, WA), 0,
          "a part of the score: wrong-answer, not met");
    check("", true, "partially_accepted/a", STATUSES(AC, WA), NAN,
          "a part of the score: wrong-answer, not met");
    check(rules, false, "accepted/a", STATUSES(AC), 50, "passed, score 50: passed, met");
    check(rules, false, "accepted/a", STATUSES(AC), 51, "passed, score 50: passed, not met");
    check(rules, false, "accepted/b", STATUSES(AC), 20, "passed, score 10 to 20: passed, met");
    check(rules, false, "accepted/b", STATUSES(AC), 9, "passed, score 10 to 20: passed, not met");
    check(rules, false, "accepted/b", STATUSES(AC), NAN, "passed, score 10 to 20: passed, not met");
}

/* Whatever the verdicts of the tests are. */
CASE(expectation__verdict_of_a_grader)
{
    CLEANUP(result_release) struct result result = RESULT_INIT;

    fill_result(&result, STATUSES(AC, WA, RTE), 30);
    result.tests.grades = memory_allocate(sizeof *result.tests.grades);
    result.tests.grades[0] = (struct group_grade){TEST_TIMEOUT, 30};
    assert_string_equal(expectation_verdict(&result), "timeout");
    result.tests.grades[0].verdict = TEST_PASSED;
    assert_string_equal(expectation_verdict(&result), "passed");
    result.reason = REASON_JUDGE; /* of a group above */
    assert_string_equal(expectation_verdict(&result), "judge-error");
}

/* A rule of a directory's name replaces the keys that it has; others are further requirements. */
CASE(expectation__rules)
{
    const char *const rules = "wrong_answer: {permitted: [AC, WA, TLE]}\n"
                              "mine: {required: [RTE]}\n"
                              "'accepted/*.c': {required: [AC], permitted: [AC, WA]}\n"
                              "'accepted/{x,y}': {required: [WA]}\n";

    check(rules, false, "wrong_answer/a", STATUSES(WA, TLE), NAN, "wrong-answer: timeout, met");
    check(rules, false, "wrong_answer/a", STATUSES(AC, TLE), NAN, "wrong-answer: timeout, not met");
    check(rules, false, "mine/a", STATUSES(AC, RTE), NAN, "runtime-error: runtime-error, met");
    check(rules, false, "accepted/a.c", STATUSES(AC, WA), NAN, "passed: wrong-answer, not met");
    check(rules, false, "accepted/x", STATUSES(AC), NAN, "passed: passed, met");
}

/* Rules without a key that counts expect nothing, and do not change what a directory expects. */
CASE(expectation__rules_that_say_nothing)
{
    const char *const rules = "none:\nmine: {authors: x}\n"
                              "'other/*': {message: x, language: c}\n"
                              "accepted: {message: x}\nall: {permitted: [AC, WA, TLE, RTE]}\n";

    check(rules, false, "none/a", STATUSES(TLE), NAN, "-: timeout, met");
    check(rules, false, "mine/a", STATUSES(TLE), NAN, "-: timeout, met");
    check(rules, false, "other/a", STATUSES(TLE), NAN, "-: timeout, met");
    check(rules, false, "accepted/a", STATUSES(TLE), NAN, "passed: timeout, not met");
    check(rules, false, "all/a", STATUSES(TLE), NAN, "any: timeout, met");
}

/* What several rules need together. */
CASE(expectation__several_rules)
{
    const char *const rules = "'accepted/a': {permitted: [WA]}\n"
                              "'mine/*': {required: [WA]}\n"
                              "'mine/a*': {required: [TLE, RTE]}\n"
                              "'mine/ab': {required: [WA, TLE]}\n";

    check(rules, false, "accepted/a", STATUSES(WA), NAN, "none: wrong-answer, not met");
    check(rules, false, "mine/a", STATUSES(WA), NAN,
          "wrong-answer and timeout or runtime-error: wrong-answer, not met");
    check(rules, false, "mine/ab", STATUSES(WA, TLE), NAN,
          "wrong-answer and timeout or runtime-error: timeout, met");
    check(rules, false, "wrong_answer/a", STATUSES(WA), NAN, "wrong-answer: wrong-answer, met");
}

static void check_rules(const char *text, const char *ignored, const char *message)
{
    const struct submission_rules rules = rules_of(text, false);
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    struct error error = ERROR_INIT;
    const int result = submission_rules_check(&rules, &names, &error);
    CLEANUP_FREE char *list = strvec_join(&names, ", ");

    assert_int_equal(result, message ? -1 : 0);
    if (message)
        assert_error(&error, ERROR_INPUT, message);
    else
        assert_string_equal(list, ignored);
    json_decref((json_t *)rules.document);
}

/* By the lower bounds of the time limit no test may be too slow, and by the upper ones one must. */
CASE(expectation__use_for_time_limit)
{
    const char *const rules = "'mine/a': {use_for_time_limit: lower}\n"
                              "'mine/b': {use_for_time_limit: upper}\n"
                              "'mine/c': {use_for_time_limit: false}\n"
                              "'accepted/*': {use_for_time_limit: true}\n"
                              "'brute_force/a': {use_for_time_limit: upper}\n";

    check(rules, false, "mine/a", STATUSES(WA, RTE), NAN,
          "passed or wrong-answer or runtime-error: runtime-error, met");
    check(rules, false, "mine/a", STATUSES(AC, TLE), NAN,
          "passed or wrong-answer or runtime-error: timeout, not met");
    check(rules, false, "mine/b", STATUSES(AC, TLE), NAN, "timeout: timeout, met");
    check(rules, false, "mine/b", STATUSES(AC, RTE), NAN, "timeout: runtime-error, not met");
    check(rules, false, "mine/c", STATUSES(TLE), NAN, "-: timeout, met");
    check(rules, false, "accepted/a", STATUSES(AC), NAN, "passed: passed, met");
    check(rules, false, "brute_force/a", STATUSES(AC, RTE), NAN, "timeout: runtime-error, not met");
}

CASE(expectation__ignored_rules)
{
    check_rules("", "", NULL);
    check_rules("a: {authors: x, use_for_time_limit: lower, permitted: [AC], message: x}\n"
                "'{b,c}': {message: y, language: c, secret/a: {permitted: [AC]}}\n",
                "message, {b,c}, secret/a", NULL);
    check_rules("a: {k1: x, k2: x, k3: x, k4: x, k5: x, k6: x, k7: x, k8: x, k9: x, k10: x}\n"
                "b: {k9: x}\n",
                "k1, k2, k3, k4, k5, k6, k7, k8, k9, k10", NULL);
    check_rules("a: {k1: x, k2: x, k3: x, k4: x, k5: x, k6: x, k7: x, k8: x, k9: x, k10: x}\n"
                "b: {k9: x, k11: x, k12: x}\nc: {k13: x}\n",
                "k1, k2, k3, k4, k5, k6, k7, k8, k9, k10, and others", NULL);
}

CASE(expectation__wrong_rules)
{
    CLEANUP(strbuf_release) struct strbuf many = STRBUF_INIT;

    check_rules("[]", NULL, "it is not a mapping");
    check_rules("a: 5\n", NULL, "'a': must be a mapping");
    check_rules("a: {permitted: [CE]}\n", NULL,
                "'a': permitted and required must be sequences of AC, WA, TLE and RTE");
    check_rules("a: {required: AC}\n", NULL,
                "'a': permitted and required must be sequences of AC, WA, TLE and RTE");
    check_rules("a: {score: [1]}\n", NULL,
                "'a': score must be a number or a sequence of two numbers");
    check_rules("a: {use_for_time_limit: both}\n", NULL,
                "'a': use_for_time_limit must be false, lower or upper");
    check_rules("a: {use_for_time_limit: [lower]}\n", NULL,
                "'a': use_for_time_limit must be false, lower or upper");
    check_rules("a: {score: x}\n", NULL,
                "'a': score must be a number or a sequence of two numbers");
    check_rules("a: {language: [c]}\n", NULL, "'a': language and entrypoint must be strings");
    check_rules("a: {entrypoint: }\n", NULL, "'a': language and entrypoint must be strings");
    for (int i = 0; i <= SUBMISSION_RULES_MAX; i++)
        strbuf_addf(&many, "a%d:\n", i);
    check_rules(strbuf_string(&many), NULL, "it has more than 200 patterns");
}

CASE(submission_rules__text_of_the_first_pattern)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const char *text =
        "a/x*: {permitted: [AC]}\na/x.c: {language: c}\na: {language: d, entrypoint: e}";
    struct submission_rules rules = {yaml_text_parse(text, strlen(text), &error), false};

    assert_string_equal(submission_rules_text(&rules, "a/x.c", "language"), "c");
    assert_string_equal(submission_rules_text(&rules, "a/x.c", "entrypoint"), "e");
    assert_string_equal(submission_rules_text(&rules, "a/y", "language"), "d");
    assert_null(submission_rules_text(&rules, "b/x.c", "language"));
    json_decref((json_t *)rules.document);
    rules.document = NULL;
    assert_null(submission_rules_text(&rules, "a/x.c", "language"));
}

#include "test.h"

#include "base/memory.h"
#include "base/text.h"
#include "judge/scoring.h"

struct group_given {
    const char *name;
    double max_score;
    enum score_aggregation aggregation;
    const char *require_pass;
};

/* TEST_NOT_RUN, since another test was not accepted. */
#define SKIPPED ((enum case_status)100)

struct test_given {
    const char *group; /* NULL: none */
    double points;     /* NAN: not given */
    enum case_status status;
    double score; /* of the checker; NAN: none */
};

static struct case_requests make_requests(const struct group_given *groups,
                                          const struct test_given *tests)
{
    struct case_requests requests = CASE_REQUESTS_INIT;
    struct score_groups *made = case_requests_groups(&requests);

    for (; groups->name; groups++) {
        struct score_group *group = score_groups_add(made, groups->name);

        group->max_score = groups->max_score;
        group->aggregation = groups->aggregation;
        if (groups->require_pass)
            strvec_push(&group->require_pass, groups->require_pass);
    }
    for (; tests->status != TEST_NOT_RUN || tests->points != 0; tests++) {
        struct case_request *test = case_requests_add(&requests);

        test->group = tests->group ? string_copy(tests->group) : NULL;
        test->points = tests->points;
    }
    return requests;
}

/* A number that has more digits is followed by "~". */
static void add_number(struct strbuf *text, double number)
{
    CLEANUP_FREE char *shown = string_format("%.15g", number);

    if (isnan(number))
        strbuf_addstr(text, "?");
    else
        strbuf_addf(text, "%s%s", shown, strtod(shown, NULL) == number ? "" : "~");
}

/* The scores of the tests; then those of the groups, that of all tests first. */
static char *describe(const struct case_results *results)
{
    struct strbuf text = STRBUF_INIT;

    for (size_t i = 0; i < results->count; i++) {
        strbuf_addstr(&text, i > 0 ? " " : "");
        add_number(&text, results->items[i].score);
    }
    for (size_t i = 0; i < results->group_count; i++) {
        const struct group_result *group = &results->groups[i];

        strbuf_addf(&text, "; %s %s ", *group->name ? group->name : "all",
                    group_status_name(group->status));
        add_number(&text, group->score);
        strbuf_addstr(&text, " of ");
        add_number(&text, group->max_score);
        strbuf_addf(&text, " (%zu/%zu)", group->passed, group->total);
    }
    return strbuf_steal(&text);
}

/* The groups end with one without a name, the tests with one that did not run and has 0 points. */
static void check_scores(const struct group_given *groups, const struct test_given *tests,
                         const char *expected)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(case_requests_release) struct case_requests requests = make_requests(groups, tests);
    CLEANUP(case_results_release) struct case_results results = CASE_RESULTS_INIT;

    score_groups_complete(&requests, true, &error);
    assert_no_error(&error);
    results.items = memory_allocate(requests.count * sizeof *results.items);
    results.count = requests.count;
    for (size_t i = 0; i < results.count; i++) {
        results.items[i] = (struct case_result)CASE_RESULT_INIT;
        results.items[i].is_skipped = tests[i].status == SKIPPED;
        results.items[i].status = tests[i].status == SKIPPED ? TEST_NOT_RUN : tests[i].status;
        results.items[i].score = tests[i].score;
    }
    for (int i = 0; i < 2; i++) { /* the second time nothing changes */
        CLEANUP_FREE char *text = NULL;

        scoring_compute(&requests, &results);
        text = describe(&results);
        assert_string_equal(text, expected);
    }
}

#define GROUPS(...)                                                                                \
    (const struct group_given[])                                                                   \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define TESTS(...)                                                                                 \
    (const struct test_given[])                                                                    \
    {                                                                                              \
        __VA_ARGS__,                                                                               \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }
#define NO_GROUPS ((const struct group_given[]){{0}})

CASE(scoring__sum)
{
    check_scores(
        GROUPS({"a", 100, SCORE_SUM, NULL}),
        TESTS({"a", NAN, TEST_PASSED, NAN}, {"a", NAN, TEST_PASSED, NAN},
              {"a", NAN, TEST_PASSED, NAN}),
        "33.3333333333333~ 33.3333333333333~ 33.3333333333333~; all passed 100 of 100 (3/3); "
        "a passed 100 of 100 (3/3)");
    check_scores(GROUPS({"a", 60, SCORE_SUM, NULL}),
                 TESTS({"a", NAN, TEST_PASSED, NAN}, {"a", NAN, TEST_WRONG_ANSWER, NAN},
                       {"a", NAN, TEST_TIMEOUT, NAN}),
                 "20 0 0; all failed 20 of 60 (1/3); a failed 20 of 60 (1/3)");
}

CASE(scoring__whole_maximum)
{
    check_scores(GROUPS({"a", 0.7, SCORE_SUM, NULL}),
                 TESTS({"a", 0.1, TEST_PASSED, NAN}, {"a", 0.2, TEST_PASSED, NAN},
                       {"a", 0.4, TEST_PASSED, NAN}),
                 "0.1 0.2 0.4; all passed 0.7 of 0.7 (3/3); a passed 0.7 of 0.7 (3/3)");
}

CASE(scoring__min)
{
    check_scores(GROUPS({"a", 60, SCORE_MIN, NULL}),
                 TESTS({"a", NAN, TEST_PASSED, NAN}, {"a", NAN, TEST_PASSED, 25},
                       {"a", NAN, TEST_PARTLY_RIGHT, 40}),
                 "60 25 40; all failed 25 of 60 (2/3); a failed 25 of 60 (2/3)");
    check_scores(GROUPS({"a", 60, SCORE_MIN, NULL}),
                 TESTS({"a", NAN, TEST_PASSED, NAN}, {"a", NAN, TEST_RUNTIME_ERROR, NAN}),
                 "60 0; all failed 0 of 60 (1/2); a failed 0 of 60 (1/2)");
}

/* The tests of such a group have no scores, but for what the checker says. */
CASE(scoring__pass_fail)
{
    check_scores(GROUPS({"a", 60, SCORE_PASS_FAIL, NULL}),
                 TESTS({"a", NAN, TEST_PASSED, NAN}, {"a", NAN, TEST_PASSED, 7}),
                 "? 7; all passed 60 of 60 (2/2); a passed 60 of 60 (2/2)");
    check_scores(GROUPS({"a", 60, SCORE_PASS_FAIL, NULL}),
                 TESTS({"a", NAN, TEST_PASSED, NAN}, {"a", NAN, TEST_PARTLY_RIGHT, 59}),
                 "? 59; all failed 0 of 60 (1/2); a failed 0 of 60 (1/2)");
}

/* Right in part is not passed; what failed has 0, whatever the checker has given it. */
CASE(scoring__scores_of_a_checker)
{
    check_scores(GROUPS({"a", 60, SCORE_SUM, NULL}),
                 TESTS({"a", NAN, TEST_PASSED, 0}, {"a", NAN, TEST_PARTLY_RIGHT, 29.5},
                       {"a", NAN, TEST_WRONG_ANSWER, 12}, {"a", NAN, TEST_PARTLY_RIGHT, NAN}),
                 "0 29.5 0 0; all failed 29.5 of 60 (1/4); a failed 29.5 of 60 (1/4)");
}

CASE(scoring__no_maximum)
{
    check_scores(
        GROUPS({"a", INFINITY, SCORE_SUM, NULL}, {"b", NAN, SCORE_MIN, NULL}),
        TESTS({"a", NAN, TEST_PASSED, 250}, {"a", NAN, TEST_PASSED, 2.5},
              {"b", NAN, TEST_PASSED, 8}, {"b", NAN, TEST_PASSED, 9}),
        "250 2.5 8 9; all passed 260.5 of inf (4/4); a passed 252.5 of inf (2/2); b passed 8 of "
        "inf (2/2)");
}

/* Points alone: the score is their sum, and a test without them counts nothing. */
CASE(scoring__points_without_groups)
{
    check_scores(NO_GROUPS,
                 TESTS({NULL, 10, TEST_PASSED, NAN}, {NULL, NAN, TEST_WRONG_ANSWER, NAN},
                       {NULL, 5, TEST_OOM, NAN}),
                 "10 ? 0; all failed 10 of 15 (1/3)");
}

CASE(scoring__groups_in_groups)
{
    check_scores(
        GROUPS({"s", 100, SCORE_SUM, NULL}, {"s/a", 40, SCORE_MIN, NULL},
               {"s/b", 60, SCORE_SUM, NULL}, {"s/b/x", 10, SCORE_PASS_FAIL, NULL},
               {"s/b/y", 50, SCORE_PASS_FAIL, NULL}),
        TESTS({"s/a", NAN, TEST_PASSED, NAN}, {"s/b/x", NAN, TEST_PASSED, NAN},
              {"s/b/y", NAN, TEST_CPU_TIME, NAN}),
        "40 ? ?; all failed 50 of 100 (2/3); s failed 50 of 100 (2/3); s/a passed 40 of 40 "
        "(1/1); s/b failed 10 of 60 (1/2); s/b/x passed 10 of 10 (1/1); s/b/y failed 0 of "
        "50 (0/1)");
}

/* A minimum and all or nothing of groups. */
CASE(scoring__aggregation_of_groups)
{
    check_scores(GROUPS({"s", 60, SCORE_MIN, NULL}, {"s/a", 60, SCORE_SUM, NULL},
                        {"s/b", 60, SCORE_SUM, NULL}),
                 TESTS({"s/a", NAN, TEST_PASSED, 50}, {"s/b", NAN, TEST_PASSED, 20}),
                 "50 20; all passed 20 of 60 (2/2); s passed 20 of 60 (2/2); s/a passed 50 of 60 "
                 "(1/1); s/b passed 20 of 60 (1/1)");
    check_scores(GROUPS({"s", 60, SCORE_PASS_FAIL, NULL}, {"s/a", 1, SCORE_PASS_FAIL, NULL},
                        {"s/b", 1, SCORE_PASS_FAIL, NULL}),
                 TESTS({"s/a", NAN, TEST_PASSED, NAN}, {"s/b", NAN, TEST_OUTPUT_LIMIT, NAN}),
                 "? ?; all failed 0 of 60 (1/2); s failed 0 of 60 (1/2); s/a passed 1 of 1 (1/1); "
                 "s/b failed 0 of 1 (0/1)");
}

/* Of tests and groups alike. A maximum that is given bounds the average and not the sum. */
CASE(scoring__average_and_largest)
{
    check_scores(GROUPS({"s", NAN, SCORE_AVERAGE, NULL}, {"s/a", NAN, SCORE_LARGEST, NULL}),
                 TESTS({"s", 10, TEST_PASSED, NAN}, {"s", 20, TEST_WRONG_ANSWER, NAN},
                       {"s/a", 30, TEST_PARTLY_RIGHT, 5}, {"s/a", 60, TEST_PARTLY_RIGHT, 2}),
                 "10 0 5 2; all failed 5 of 30 (1/4); s failed 5 of 30 (1/4); s/a failed 5 of 60 "
                 "(0/2)");
    check_scores(GROUPS({"s", 10, SCORE_AVERAGE, NULL}),
                 TESTS({"s", 10, TEST_PASSED, NAN}, {"s", 10, TEST_PASSED, NAN}),
                 "10 10; all passed 10 of 10 (2/2); s passed 10 of 10 (2/2)");
}

/* "b" requires "a", and "c" requires "b", whose tests are all passed: none of them counts. */
CASE(scoring__require_pass)
{
    const struct group_given groups[] = {
        {"c", 5, SCORE_SUM, "b"}, {"a", 1, SCORE_PASS_FAIL, NULL}, {"b", 3, SCORE_SUM, "a"}, {0}};

    check_scores(groups,
                 TESTS({"a", NAN, TEST_WRONG_ANSWER, NAN}, {"b", NAN, TEST_PASSED, NAN},
                       {"c", NAN, TEST_NOT_RUN, NAN}),
                 "? 3 ?; all failed 0 of 9 (1/3); c blocked 0 of 5 (0/1); a failed 0 of 1 (0/1); b "
                 "blocked 0 of 3 (1/1)");
    check_scores(groups,
                 TESTS({"a", NAN, TEST_PASSED, NAN}, {"b", NAN, TEST_PASSED, NAN},
                       {"c", NAN, TEST_WRONG_ANSWER, NAN}),
                 "? 3 0; all failed 4 of 9 (2/3); c failed 0 of 5 (0/1); a passed 1 of 1 (1/1); b "
                 "passed 3 of 3 (1/1)");
}

/* A group in which one is blocked is not passed, although its tests are. */
CASE(scoring__blocked_below)
{
    check_scores(GROUPS({"a", 1, SCORE_SUM, NULL}, {"s", 9, SCORE_PASS_FAIL, NULL},
                        {"s/b", 9, SCORE_SUM, "a"}),
                 TESTS({"a", NAN, TEST_WRONG_ANSWER, NAN}, {"s/b", NAN, TEST_PASSED, NAN}),
                 "0 9; all failed 0 of 10 (1/2); a failed 0 of 1 (0/1); s failed 0 of 9 (1/1); s/b "
                 "blocked 0 of 9 (1/1)");
}

/* What is not judged is no verdict: neither of its group, nor of one around it, nor of one that
 * requires it. */
CASE(scoring__unknown)
{
    static const enum case_status statuses[] = {TEST_NOT_RUN, TEST_ENGINE, TEST_JUDGE_ERROR};

    for (size_t i = 0; i < COUNT(statuses); i++) {
        check_scores(GROUPS({"s", 9, SCORE_SUM, NULL}, {"s/a", 4, SCORE_MIN, NULL},
                            {"s/b", 5, SCORE_SUM, NULL}, {"c", 1, SCORE_SUM, "s/a"}),
                     TESTS({"s/a", NAN, statuses[i], NAN}, {"s/a", NAN, TEST_WRONG_ANSWER, NAN},
                           {"s/b", NAN, TEST_PASSED, NAN}, {"c", NAN, TEST_PASSED, NAN}),
                     "? 0 5 1; all unknown ? of 10 (2/4); s unknown ? of 9 (1/3); s/a unknown ? of "
                     "4 (0/2); s/b passed 5 of 5 (1/1); c unknown ? of 1 (1/1)");
        check_scores(GROUPS({"p", 9, SCORE_PASS_FAIL, NULL}),
                     TESTS({"p", NAN, statuses[i], NAN}, {"p", NAN, TEST_PASSED, NAN}),
                     "? ?; all unknown ? of 9 (1/2); p unknown ? of 9 (1/2)");
    }
}

CASE(scoring__skipped)
{
    check_scores(GROUPS({"s", NAN, SCORE_MIN, NULL}, {"s/a", NAN, SCORE_SUM, NULL},
                        {"s/b", NAN, SCORE_MIN, NULL}),
                 TESTS({"s/a", 4, TEST_PASSED, NAN}, {"s/a", 4, TEST_WRONG_ANSWER, NAN},
                       {"s/b", 5, SKIPPED, NAN}, {"s/b", 5, SKIPPED, NAN}),
                 "4 0 ? ?; all failed 4 of 5 (1/4); s failed 4 of 5 (1/4); s/a failed 4 of 8 "
                 "(1/2); s/b failed 0 of 5 (0/2)");
    check_scores(GROUPS({"s", 9, SCORE_MIN, NULL}),
                 TESTS({"s", NAN, TEST_WRONG_ANSWER, NAN}, {"s", NAN, SKIPPED, NAN}),
                 "0 ?; all failed 0 of 9 (0/2); s failed 0 of 9 (0/2)");
}

CASE(scoring__without_groups)
{
    CLEANUP(case_requests_release) struct case_requests requests = CASE_REQUESTS_INIT;
    struct case_result test = CASE_RESULT_INIT;
    struct case_results results = {.items = &test, .count = 1};

    case_requests_add(&requests);
    test.status = TEST_PASSED;
    scoring_compute(&requests, &results);
    assert_null(results.groups);
    assert_true(isnan(test.score) && isnan(test.max_score));
}

/* ---- what a checker gives */

struct given {
    double points;
    enum checker_outcome outcome;
    double score, multiplier;
};

CASE(scoring__checked_score)
{
    static const struct {
        struct given given;
        double score;
    } cases[] = {
        {{10, CHECKER_RIGHT, 10, NAN}, 10},
        {{10, CHECKER_PARTLY_RIGHT, 0, NAN}, 0},
        {{10, CHECKER_RIGHT, NAN, 0.25}, 2.5},
        {{10, CHECKER_RIGHT, NAN, 1}, 10},
        {{INFINITY, CHECKER_RIGHT, 1e9, NAN}, 1e9},
        {{10, CHECKER_WRONG, 99, NAN}, 99}, /* which counts nothing */
        {{NAN, CHECKER_RIGHT, -5, NAN}, -5},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct given *given = &cases[i].given;
        const struct case_request test = {.points = given->points};
        struct checker_verdict verdict = {given->outcome, given->score, given->multiplier, NULL};
        struct error error = ERROR_INIT;

        scoring_check(&test, &verdict, &error);
        assert_no_error(&error);
        if (verdict.score != cases[i].score)
            fail_msg("case %zu: %g", i, verdict.score);
    }
}

CASE(scoring__refused_score)
{
    static const struct {
        struct given given;
        const char *message;
    } cases[] = {
        {{10, CHECKER_RIGHT, 10.5, NAN},
         "the checker has given the score 10.5, which is not from 0 to 10"},
        {{10, CHECKER_PARTLY_RIGHT, -1, NAN},
         "the checker has given the score -1, which is not from 0 to 10"},
        {{INFINITY, CHECKER_RIGHT, 2e9, NAN},
         "the checker has given the score 2e+09, which is not from 0 to 1e+09"},
        {{INFINITY, CHECKER_RIGHT, NAN, NAN},
         "the checker has given no score to a test without a maximum"},
        {{INFINITY, CHECKER_RIGHT, NAN, 1},
         "the checker has given a multiplier to a test without a maximum"},
        {{10, CHECKER_RIGHT, NAN, 1.5},
         "the checker has given the multiplier 1.5, which is not from 0 to 1"},
        {{10, CHECKER_RIGHT, NAN, -0.5},
         "the checker has given the multiplier -0.5, which is not from 0 to 1"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct given *given = &cases[i].given;
        const struct case_request test = {.points = given->points};
        struct checker_verdict verdict = {given->outcome, given->score, given->multiplier,
                                          string_copy("m")};
        struct error error = ERROR_INIT;

        assert_int_equal(scoring_check(&test, &verdict, &error), -1);
        assert_error(&error, ERROR_JUDGE, cases[i].message);
        assert_null(verdict.message);
    }
}

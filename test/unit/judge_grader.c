#include "test.h"

#include "base/memory.h"
#include "base/text.h"
#include "judge/grader.h"
#include "judge/scoring.h"

/* Two groups in one, "secret", and tests in all of them, not in the order of their base names. */
struct fixture {
    struct plan plan;
    struct result result;
    struct judgement judgement;
};

static struct score_group *add_group(struct fixture *fixture, const char *name)
{
    return score_groups_add(case_requests_groups(&fixture->plan.tests), name);
}

static void add_test(struct fixture *fixture, const char *name, const char *group,
                     enum case_status status)
{
    struct case_results *results = &fixture->result.tests;
    struct case_request *test = case_requests_add(&fixture->plan.tests);

    test->name = string_copy(name);
    test->group = string_copy(group);
    test->points = 40;
    results->items = memory_resize(results->items, (results->count + 1) * sizeof *results->items);
    results->items[results->count] = (struct case_result)CASE_RESULT_INIT;
    results->items[results->count++].status = status;
}

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.plan = PLAN_INIT, .result = RESULT_INIT};
    fixture->judgement =
        (struct judgement){.run = {.plan = &fixture->plan, .result = &fixture->result}};
    add_group(fixture, "secret");
    add_group(fixture, "secret/10");
    add_group(fixture, "secret/b");
    add_test(fixture, "secret/2", "secret", TEST_PASSED);
    add_test(fixture, "secret/a", "secret", TEST_OOM);
    add_test(fixture, "secret/10/1", "secret/10", TEST_PASSED);
    add_test(fixture, "secret/b/1", "secret/b", TEST_WRONG_ANSWER);
    add_test(fixture, "secret/b/2", "secret/b", TEST_CPU_TIME);
}

static void tear_down(struct fixture *fixture)
{
    plan_release(&fixture->plan);
    result_release(&fixture->result);
}

/* Grades all groups, none of which has a grader of its own. */
static void grade(struct fixture *fixture)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    score_groups_complete(&fixture->plan.tests, false, &error);
    assert_no_error(&error);
    assert_int_equal(grader_run(&fixture->judgement, &error), 0);
    scoring_compute(&fixture->plan.tests, &fixture->result.tests);
}

static void check_input(const struct fixture *fixture, size_t place, const char *expected)
{
    CLEANUP(strbuf_release) struct strbuf lines = STRBUF_INIT;

    assert_true(grader_input(&fixture->plan.tests, &fixture->result.tests, place, &lines));
    assert_string_equal(strbuf_string(&lines), expected);
}

/* ---- what it is told */

/* "10", "2", "a", "b": groups and tests together, by the bytes of their base names. */
CASE(grader__order)
{
    struct fixture fixture;

    set_up(&fixture);
    grade(&fixture);
    check_input(&fixture, 1, "AC 40\nAC 40\nRTE 0\nTLE 0\n");
    check_input(&fixture, 3, "WA 0\nTLE 0\n");
    check_input(&fixture, 0, "RTE 80\n");
    tear_down(&fixture);
}

CASE(grader__breaks)
{
    struct fixture fixture;

    set_up(&fixture);
    fixture.plan.tests.groups->items[1].breaks = true;
    fixture.plan.tests.groups->items[3].breaks = true;
    grade(&fixture);
    check_input(&fixture, 1, "AC 40\nAC 40\nRTE 0\n");
    check_input(&fixture, 3, "WA 0\n");
    assert_int_equal(fixture.result.tests.grades[3].verdict, TEST_WRONG_ANSWER);
    tear_down(&fixture);
}

/* What is told of a score that is not whole, or not known. */
CASE(grader__scores)
{
    struct fixture fixture;

    set_up(&fixture);
    fixture.plan.tests.items[2].points = INFINITY;
    fixture.plan.tests.items[0].points = 0.1;
    grade(&fixture);
    check_input(&fixture, 2, "AC 0\n");
    check_input(&fixture, 1, "AC 0\nAC 0.1\nRTE 0\nTLE 0\n");
    tear_down(&fixture);
}

CASE(grader__not_judged)
{
    CLEANUP(strbuf_release) struct strbuf lines = STRBUF_INIT;
    struct fixture fixture;

    set_up(&fixture);
    fixture.result.tests.items[4].status = TEST_NOT_RUN;
    fixture.plan.tests.groups->items[1].grading = GRADE_CUSTOM; /* whose program is not run then */
    grade(&fixture);
    assert_false(grader_input(&fixture.plan.tests, &fixture.result.tests, 1, &lines));
    assert_int_equal(fixture.result.tests.groups[0].status, GROUP_UNKNOWN);
    assert_int_equal(fixture.result.tests.groups[1].status, GROUP_UNKNOWN);
    assert_true(isnan(fixture.result.tests.groups[1].score));
    assert_int_equal(fixture.result.tests.groups[2].status, GROUP_PASSED);
    tear_down(&fixture);
}

/* ---- the default grader */

CASE(grader__default_verdicts)
{
    static const struct {
        enum group_grading grading;
        enum case_status one, other, expected;
    } cases[] = {
        {GRADE_WORST, TEST_PASSED, TEST_PASSED, TEST_PASSED},
        {GRADE_WORST, TEST_WRONG_ANSWER, TEST_TIMEOUT, TEST_TIMEOUT},
        {GRADE_WORST, TEST_RUNTIME_ERROR, TEST_TIMEOUT, TEST_RUNTIME_ERROR},
        {GRADE_WORST, TEST_WRONG_ANSWER, TEST_PASSED, TEST_WRONG_ANSWER},
        {GRADE_FIRST, TEST_WRONG_ANSWER, TEST_TIMEOUT, TEST_WRONG_ANSWER},
        {GRADE_FIRST, TEST_PASSED, TEST_TIMEOUT, TEST_TIMEOUT},
        {GRADE_ANY, TEST_WRONG_ANSWER, TEST_PASSED, TEST_PASSED},
        {GRADE_ANY, TEST_WRONG_ANSWER, TEST_TIMEOUT, TEST_TIMEOUT},
        {GRADE_ALWAYS, TEST_WRONG_ANSWER, TEST_TIMEOUT, TEST_PASSED},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fixture fixture;

        set_up(&fixture);
        fixture.plan.tests.groups->items[3].grading = cases[i].grading;
        fixture.result.tests.items[3].status = cases[i].one;
        fixture.result.tests.items[4].status = cases[i].other;
        grade(&fixture);
        assert_int_equal(fixture.result.tests.grades[3].verdict, cases[i].expected);
        assert_int_equal(fixture.result.tests.groups[3].status,
                         cases[i].expected == TEST_PASSED ? GROUP_PASSED : GROUP_FAILED);
        tear_down(&fixture);
    }
}

/* As the samples, whose group the one above does not see. */
CASE(grader__ignored_group)
{
    struct fixture fixture;

    set_up(&fixture);
    fixture.plan.tests.groups->items[3].is_ignored = true;
    grade(&fixture);
    check_input(&fixture, 1, "AC 40\nAC 40\nRTE 0\n");
    tear_down(&fixture);
}

/* The verdict and the score of a program, also if its tests have more points than the maximum. */
CASE(grader__grade_of_a_program)
{
    struct fixture fixture;
    struct group_result *groups;

    set_up(&fixture);
    fixture.plan.tests.groups->items[3].max_score = 10;
    fixture.plan.tests.groups->items[3].grading = GRADE_CUSTOM;
    fixture.result.tests.items[3].status = TEST_NOT_RUN; /* for now its program is not run */
    grade(&fixture);
    fixture.result.tests.grades[3] = (struct group_grade){TEST_PASSED, 7.5};
    scoring_compute(&fixture.plan.tests, &fixture.result.tests);
    groups = fixture.result.tests.groups;
    assert_int_equal(groups[3].status, GROUP_PASSED);
    assert_true(groups[3].score == 7.5);
    assert_true(groups[3].max_score == 10);
    free(fixture.result.tests.grades);
    fixture.result.tests.grades = NULL;
    scoring_compute(&fixture.plan.tests, &fixture.result.tests);
    assert_int_equal(fixture.result.tests.groups[3].status, GROUP_UNKNOWN);
    assert_true(isnan(fixture.result.tests.groups[3].score));
    tear_down(&fixture);
}

/* ---- what it says */

static struct result result_of(const char *text)
{
    struct result result = RESULT_INIT;

    result.reason = REASON_EXIT;
    result.exit_code = 0;
    strbuf_addstr(&result.text[0], text);
    return result;
}

CASE(grader__grades)
{
    static const struct {
        const char *text;
        enum case_status verdict;
        double score;
    } cases[] = {
        {"AC 40\n", TEST_PASSED, 40},          {"WA 0", TEST_WRONG_ANSWER, 0},
        {"TLE\t 1.5 \r\n", TEST_TIMEOUT, 1.5}, {"RTE -3\n\n", TEST_RUNTIME_ERROR, -3},
        {"MLE 0\n", TEST_RUNTIME_ERROR, 0},    {"OLE 0\n", TEST_RUNTIME_ERROR, 0},
        {"AC\n40\n", TEST_PASSED, 40},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        CLEANUP(error_release) struct error error = ERROR_INIT;
        CLEANUP(result_release) struct result result = result_of(cases[i].text);
        struct group_grade grade;

        assert_int_equal(grader_judge(&result, &grade, &error), 0);
        assert_int_equal(grade.verdict, cases[i].verdict);
        assert_true(grade.score == cases[i].score);
    }
}

/* Nothing of them is taken over. */
static void check_refused(struct result *result, enum error_kind kind, const char *message)
{
    struct error error = ERROR_INIT;
    struct group_grade grade = {TEST_NOT_RUN, 5};

    assert_int_equal(grader_judge(result, &grade, &error), -1);
    assert_error(&error, kind, message);
    assert_int_equal(grade.verdict, TEST_NOT_RUN);
    assert_true(grade.score == 5);
    result_release(result);
}

CASE(grader__wrong_output)
{
    static const char *const texts[] = {"",        " AC 1",   "AC",     "AC 1 2", "AC 1\nAC 1\n",
                                        "OK 1",    "ACC 1",   "A 1",    "AC x",   "AC nan",
                                        "AC 1e10", "AC -2e9", "AC 1,5", "ac 1",   "40 AC"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct result result = result_of(texts[i]);
        CLEANUP_FREE char *shown = text_escape(texts[i]);
        CLEANUP_FREE char *message =
            string_format("the grader has printed '%s', and not one line with a verdict and a "
                          "score, such as AC 10",
                          shown);

        check_refused(&result, ERROR_JUDGE, message);
    }
}

CASE(grader__output_that_is_cut)
{
    static const char message[] = "the grader has printed 'AC 1', and not one line with a verdict "
                                  "and a score, such as AC 10";
    struct result result = result_of("AC 1");

    result.truncated[0] = true;
    check_refused(&result, ERROR_JUDGE, message);
    result = result_of("AC 1");
    strbuf_add(&result.text[0], "\0x", 2);
    check_refused(&result, ERROR_JUDGE, message);
}

CASE(grader__failures)
{
    struct result result = result_of("JE 0\n");

    check_refused(&result, ERROR_JUDGE, "the grader has given the verdict JE");
    result = result_of("AC 1\n");
    result.exit_code = 3;
    strbuf_addstr(&result.text[1], "no such group\nmore\n");
    check_refused(&result, ERROR_JUDGE, "the grader exited with status 3: no such group");
    result = result_of("AC 1\n");
    result.reason = REASON_TIMEOUT;
    result.error = string_copy("too slow");
    check_refused(&result, ERROR_JUDGE, "too slow");
    result = result_of("AC 1\n");
    result.reason = REASON_CANCELLED;
    check_refused(&result, ERROR_CANCELLED, "cancelled while the grader ran");
}

#include "judge/scoring.h"

#include <math.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"

/* What sums may differ from a maximum by rounding. */
#define ROUNDING 1e-9

/* What is known of a group while its parts are added. */
struct tally {
    size_t unknown; /* parts in it whose outcome is not known */
    size_t blocked; /* groups in it that are blocked */
    size_t skipped; /* tests in it, also in groups, that were skipped */
    double score;   /* of its parts so far; NAN: of none */
};

/* The score of a test in a group with points; NAN: not known. */
static double score_of(const struct case_result *result, double points)
{
    switch (result->status) {
    case TEST_PASSED:
        if (!isnan(result->score))
            return result->score;
        return isinf(points) ? NAN : points;
    case TEST_PARTLY_RIGHT:
        return isnan(result->score) ? 0 : result->score;
    case TEST_NOT_RUN:
    case TEST_ENGINE:
    case TEST_JUDGE_ERROR:
        return NAN;
    case TEST_WRONG_ANSWER:
    case TEST_TIMEOUT:
    case TEST_CPU_TIME:
    case TEST_OOM:
    case TEST_OUTPUT_LIMIT:
    case TEST_RUNTIME_ERROR:
        break;
    }
    return 0;
}

static bool is_judged(const struct case_result *result)
{
    return result->status != TEST_NOT_RUN && result->status != TEST_ENGINE &&
           result->status != TEST_JUDGE_ERROR;
}

static void add_score(const struct score_group *group, double score, struct tally *tally)
{
    if (isnan(tally->score))
        tally->score = score;
    else if (group->aggregation == SCORE_MIN)
        tally->score = fmin(tally->score, score);
    else if (group->aggregation == SCORE_LARGEST)
        tally->score = fmax(tally->score, score);
    else
        tally->score += score;
}

static void add_test(const struct score_groups *groups, const struct case_request *request,
                     struct case_result *test, struct case_results *results, struct tally *tallies)
{
    const size_t place = request->group_place;

    results->groups[place].total++;
    results->groups[place].passed += test->status == TEST_PASSED;
    tallies[place].skipped += test->is_skipped;
    tallies[place].unknown += !is_judged(test) && !test->is_skipped;
    if (isnan(request->points))
        return;
    test->max_score = request->points;
    test->score = score_of(test, request->points);
    if (!isnan(test->score))
        add_score(&groups->items[place], test->score, &tallies[place]);
}

/* What the groups that it requires say of it: GROUP_PASSED if they are. */
static enum group_status required_status(const struct score_group *group,
                                         const struct case_results *results)
{
    enum group_status status = GROUP_PASSED;

    for (size_t i = 0; i < group->require_pass.count; i++) {
        const enum group_status one = results->groups[group->required[i]].status;

        if (one == GROUP_FAILED || one == GROUP_BLOCKED)
            return GROUP_BLOCKED;
        if (one == GROUP_UNKNOWN)
            status = GROUP_UNKNOWN;
    }
    return status;
}

static enum group_status status_of(const struct score_group *group, const struct tally *tally,
                                   const struct group_result *result,
                                   const struct case_results *results)
{
    const enum group_status required = required_status(group, results);

    if (required != GROUP_PASSED)
        return required;
    if (tally->unknown > 0)
        return GROUP_UNKNOWN;
    return result->passed == result->total && tally->blocked == 0 ? GROUP_PASSED : GROUP_FAILED;
}

static double group_score(const struct score_group *group, const struct tally *tally,
                          enum group_status status)
{
    const double parts =
        group->aggregation == SCORE_AVERAGE ? (double)(group->tests + group->groups) : 1;
    const double sum = isnan(tally->score) ? 0 : tally->score / parts;

    if (status == GROUP_UNKNOWN)
        return NAN;
    if (status == GROUP_BLOCKED)
        return 0;
    if (group->aggregation == SCORE_PASS_FAIL)
        return status == GROUP_PASSED ? group->max_score : 0;
    /* as many thirds of it as there are make the whole */
    return sum >= group->max_score * (1 - ROUNDING) ? group->max_score : sum;
}

/* The status and the score of a group that has a grade, or needs one. */
static void take_grade(const struct score_group *group, const struct group_grade *grade,
                       const struct tally *tally, struct group_result *result)
{
    result->status = !grade || grade->verdict == TEST_NOT_RUN ? GROUP_UNKNOWN
                     : grade->verdict == TEST_PASSED          ? GROUP_PASSED
                                                              : GROUP_FAILED;
    result->score = group->grading != GRADE_CUSTOM ? group_score(group, tally, result->status)
                    : grade                        ? grade->score
                                                   : NAN;
}

/* Settles a group and adds it to the one that it is in. */
static void end_group(const struct score_groups *groups, size_t place, struct case_results *results,
                      struct tally *tallies)
{
    const struct score_group *group = &groups->items[place];
    struct group_result *result = &results->groups[place];
    struct group_result *parent = &results->groups[group->parent];
    struct tally *above = &tallies[group->parent];

    if (results->grades || group->grading == GRADE_CUSTOM) {
        take_grade(group, results->grades ? &results->grades[place] : NULL, &tallies[place],
                   result);
    } else {
        result->status = status_of(group, &tallies[place], result, results);
        result->score = group_score(group, &tallies[place], result->status);
    }
    if (place == 0)
        return;
    parent->passed += result->passed;
    parent->total += result->total;
    above->unknown += result->status == GROUP_UNKNOWN;
    above->blocked += result->status == GROUP_BLOCKED || tallies[place].blocked > 0;
    above->skipped += tallies[place].skipped;
    if (!isnan(result->score) && tallies[place].skipped < result->total)
        add_score(&groups->items[group->parent], result->score, above);
}

void scoring_compute(const struct case_requests *requests, struct case_results *results)
{
    const struct score_groups *groups = requests->groups;
    CLEANUP_FREE struct tally *tallies = NULL;

    if (!groups || results->count == 0)
        return;
    case_results_drop_groups(results);
    tallies = memory_allocate(groups->count * sizeof *tallies);
    results->groups = memory_allocate(groups->count * sizeof *results->groups);
    results->group_count = groups->count;
    for (size_t i = 0; i < groups->count; i++) {
        tallies[i] = (struct tally){.score = NAN};
        results->groups[i] = (struct group_result){.name = string_copy(groups->items[i].name),
                                                   .max_score = groups->items[i].max_score};
    }
    for (size_t i = 0; i < results->count; i++)
        add_test(groups, &requests->items[i], &results->items[i], results, tallies);
    for (size_t i = 0; i < groups->count; i++)
        end_group(groups, groups->order[i], results, tallies);
}

/* ---- what a checker gives */

static int check(const struct case_request *test, struct checker_verdict *verdict,
                 struct error *error)
{
    const double points = test->points;

    if (!isnan(verdict->multiplier) && isinf(points))
        return error_set(error, ERROR_JUDGE,
                         "the checker has given a multiplier to a test without a maximum");
    if (verdict->multiplier < 0 || verdict->multiplier > 1)
        return error_set(error, ERROR_JUDGE,
                         "the checker has given the multiplier %g, which is not from 0 to 1",
                         verdict->multiplier);
    if (!isnan(verdict->multiplier))
        verdict->score = verdict->multiplier * points;
    if (isnan(verdict->score) && isinf(points))
        return error_set(error, ERROR_JUDGE,
                         "the checker has given no score to a test without a maximum");
    if (verdict->score < 0 || verdict->score > fmin(points, SCORE_MAX) * (1 + ROUNDING))
        return error_set(error, ERROR_JUDGE,
                         "the checker has given the score %g, which is not from 0 to %g",
                         verdict->score, fmin(points, SCORE_MAX));
    return 0;
}

int scoring_check(const struct case_request *test, struct checker_verdict *verdict,
                  struct error *error)
{
    if (isnan(test->points) || verdict->outcome == CHECKER_WRONG ||
        check(test, verdict, error) == 0)
        return 0;
    free(steal_pointer(&verdict->message));
    return -1;
}

/*
 * The groups of tests of a request that give scores: which tests and groups are in which group, and
 * how many points each can give. judge/scoring.h computes the scores of a run.
 *
 * The rules are those of the problem package format of Kattis (2025-09, "Result aggregation").
 * Names are paths: "secret/a" is in "secret" if there is such a group. All groups, and tests that
 * are in none, are in one whose name is "" and whose score is that of the request.
 */
#ifndef REQUEST_SCORE_GROUPS_H
#define REQUEST_SCORE_GROUPS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strvec.h"

/* How the score of a group comes from those of the tests and groups in it. */
enum score_aggregation {
    SCORE_SUM,
    SCORE_MIN,
    SCORE_PASS_FAIL, /* the maximum if all tests are passed, or else 0 */
    /* Of the legacy format alone (cli/grade/legacy_scores.h), in which each test has points. */
    SCORE_AVERAGE,
    SCORE_LARGEST
};

/*
 * How a grader of the legacy format finds the verdict of a group (judge/grader.h): the worst one in
 * it, or the first that is not accepted; accepted if one is, or in any case; by a program.
 */
enum group_grading { GRADE_WORST, GRADE_FIRST, GRADE_ANY, GRADE_ALWAYS, GRADE_CUSTOM };

/* Maximum number of groups, and of groups in each other or that require one another in a chain. */
enum { SCORE_GROUPS_MAX = 1000, SCORE_LEVELS_MAX = 100 };

/* The largest score. */
#define SCORE_MAX 1e9

struct score_group {
    char *name; /* owned */
    enum score_aggregation aggregation;
    double max_score; /* INFINITY: without a bound; NAN: by what is in it, until completed */
    struct strvec require_pass; /* names of groups without which it has no points */
    enum group_grading grading; /* counts if the request has a grader, like the next three */
    struct strvec grader_flags; /* arguments of that program */
    bool breaks;                /* it is told nothing after the first that is not accepted */
    bool is_ignored;            /* by the group that it is in */
    size_t parent;        /* completed: the place of the group that it is in; of "": its own */
    size_t *required;     /* completed: the places of those groups, owned */
    size_t tests, groups; /* completed: how many are in it and in no group below */
};

struct score_groups {
    struct score_group *items; /* owned; the first is "" */
    size_t count;
    size_t
        *order; /* owned; completed: all places, a group after those in it and those it requires */
};

struct case_requests;

/* A new struct with the group "", a sum; the caller frees it. */
struct score_groups *score_groups_new(void);

/* Adds a group that has neither a maximum nor requirements, a sum. It is borrowed until the next.
 */
struct score_group *score_groups_add(struct score_groups *groups, const char *name);

/* Reads "sum", "min", "pass-fail", "avg" or "max". False if the text is none of them. */
bool score_aggregation_parse(const char *text, enum score_aggregation *aggregation);

/* The name of it. */
const char *score_aggregation_name(enum score_aggregation aggregation);

/*
 * Completes the groups of the tests, if they have some, and the points of each test. Does nothing
 * the second time. With `has_checker`, which can give points, a test needs no maximum. ERROR_USAGE
 * if a group is not there, is there twice, is empty, requires itself or has more points in it than
 * its maximum, or if the points of a test are not known.
 */
int score_groups_complete(struct case_requests *tests, bool has_checker, struct error *error);

/* NULL is allowed. */
void score_groups_free(struct score_groups *groups);

#endif

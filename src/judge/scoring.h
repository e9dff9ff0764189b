/*
 * The scores of tests and of their groups (request/score_groups.h). Knows the statuses of the tests
 * and nothing of how they came about.
 *
 * In a group with points, a test that is passed has the score that the checker has given, or else
 * all its points; one that is right in part has that of the checker; any other has 0. A group is
 * the sum, minimum, average or maximum of what is in it, or all or nothing. It has 0 if a group
 * that it requires is not passed, whether its own tests ran or not. Otherwise a test that did not
 * run or was not judged leaves the score of its group, and of those around it, unknown, unless it
 * was skipped (request/case_request.h): then what ran counts. With grades
 * (judge/grader.h), the verdicts of groups are theirs, and so are the scores that programs give.
 */
#ifndef JUDGE_SCORING_H
#define JUDGE_SCORING_H

#include "base/error.h"
#include "judge/checker.h"
#include "request/case_request.h"
#include "run/case_result.h"

/*
 * Writes the scores of the tests, and makes the results of their groups, if the requests have some,
 * which are complete. Can be called again after more tests have ended.
 */
void scoring_compute(const struct case_requests *requests, struct case_results *results);

/*
 * Checks the score that the checker has given to a test with points, and turns a multiplier into
 * one. On failure, which is ERROR_JUDGE, the verdict has no message.
 */
int scoring_check(const struct case_request *test, struct checker_verdict *verdict,
                  struct error *error);

#endif

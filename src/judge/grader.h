/*
 * Grades the groups of a problem package in the legacy format of which one has a grader of its own:
 * a program that is told what is in the group, and says which verdict and score it has. It runs in
 * a container of its own (judge/checker.h), once for each such group; groups in it come first.
 *
 * By the text of Kattis/problem-package-format (b03c6a2 of December 2025), spec/legacy.md:
 * - "Invocation" and "Input": it gets grader_flags as arguments and on standard input a line for
 *   each test and group in the group, a code, AC, WA, RTE or TLE, and a score. The score of a test
 *   is that of score.txt, or else accept_score or 0.
 * - "Output": it exits with status 0 and prints one such line; all else is an error of the judges.
 * - "Test data groups": their order is that of their base names, by bytes. With on_reject "break",
 *   the first that is not accepted is the last one.
 * - "Default grader specification": the verdict of the other groups.
 *
 * By problemtools (1.20260620 and later, judge/grade.py and judge/submission_judge.py): MLE, OLE
 * and JE are codes, too, of which JE is an error of the judges; a score that is not known is 0; the
 * score counts in the group above also if the verdict is not AC, which the text calls ignored.
 */
#ifndef JUDGE_GRADER_H
#define JUDGE_GRADER_H

#include "base/error.h"
#include "base/strbuf.h"
#include "judge/judgement.h"

/*
 * Grades all groups, and leaves that in the grades of the results. The container of the grader
 * waits. A group with a test that did not run or was not judged has no grade. -1 with ERROR_JUDGE
 * if the grader has failed, or with the error of its container.
 */
int grader_run(struct judgement *judgement, struct error *error);

/* What the grader of the group is told, once the groups in it have grades. False: not known. */
bool grader_input(const struct case_requests *requests, const struct case_results *results,
                  size_t place, struct strbuf *lines);

/* Reads the result of the grader's program. -1 with ERROR_JUDGE, or ERROR_CANCELLED. */
int grader_judge(const struct result *result, struct group_grade *grade, struct error *error);

#endif

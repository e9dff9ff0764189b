/*
 * The tests of a submission (run/submission.h): runs the program with the input of each, compares
 * its output, and settles the result of the run. For judge/judgement.c and judge/job_run.c.
 */
#ifndef JUDGE_CASE_RUN_H
#define JUDGE_CASE_RUN_H

#include "judge/judgement.h"

/* Makes a result for each test of the plan: none has run yet. */
void case_run_prepare(struct run *run);

/*
 * The run is over: tests that did not run, and do not say why, get the error of the run; groups of
 * tests get their scores.
 */
void case_run_explain(struct run *run);

/*
 * Runs all tests in the run's instance, which has a copy of the working directory. 0: the result is
 * settled. -1: the engine or the container failed, or the run was cancelled; the tests that had not
 * ended by then say so.
 */
int case_run_all(struct judgement *judgement, struct error *error);

#endif

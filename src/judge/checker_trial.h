/*
 * A trial of the checker, and what its errors say: what it is about, and nothing of the tests if
 * results must not show them.
 */
#ifndef JUDGE_CHECKER_TRIAL_H
#define JUDGE_CHECKER_TRIAL_H

#include "base/error.h"
#include "judge/judgement.h"

/*
 * If the plan asks for it, lets the checker, whose container waits, decide about the expected
 * output of the first test that has one. A checker that does not accept it would take every program
 * to be wrong, which becomes a warning of the run. -1 if the checker has failed, as a test would.
 */
int checker_trial(struct judgement *judgement, struct error *error);

/* Hides what an error of the judges says, which can be the answer, if results show no tests. */
void checker_trial_hide(const struct judgement *judgement, struct error *error);

/* Says which test an error of the judges is about, unless results show no tests. */
void checker_trial_name(const struct run *run, const char *test, struct error *error);

#endif

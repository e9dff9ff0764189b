/*
 * Makes the container of a program of the judges, a checker, an interactor or a grader, and builds
 * it there, while that of the program is made. run/checker.h waits for it.
 */
#ifndef RUN_JUDGE_START_H
#define RUN_JUDGE_START_H

#include "run/run_state.h"

/* Starts that, in a thread. How it went is in start_status and start_error of the run. */
void judge_start(struct run *judge);

#endif

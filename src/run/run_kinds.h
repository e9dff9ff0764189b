/*
 * The kinds of runs (enum plan_kind): what runs in an instance, whatever the instance is. For
 * run/run.c and judge/job_run.c.
 */
#ifndef RUN_RUN_KINDS_H
#define RUN_RUN_KINDS_H

#include <stdbool.h>

#include "run/run_state.h"

/*
 * Runs the programs of the plan in the run's instance, which waits, and leaves that to be removed.
 * The first program has to begin before `deadline` (clock_now_ms()). 0: the result says how they
 * ended. -1: no program has begun (*begun is false), or the engine or the container failed.
 */
int run_programs(struct run *run, long long deadline, bool *begun, struct error *error);

#endif

/*
 * Runs a cell in the interpreter of its session, which the first cell starts.
 */
#ifndef RUN_CELL_RUN_H
#define RUN_CELL_RUN_H

#include <stdbool.h>

#include "run/run_state.h"

/* One of the kinds of runs, see run/run.c. The session is run->session. */
int cell_run(struct run *run, long long deadline, bool *begun, struct error *error);

#endif

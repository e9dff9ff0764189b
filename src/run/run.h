/*
 * One run: a plan becomes a result. The run packs the plan's input, lets the program run in a warm
 * instance or in one that it makes, and fills in the result whatever happens: a program that fails
 * and an engine that fails are results, too. Knows nothing of pools and queues.
 *
 * How it works. run_begin() packs the input, so that a bad file is found before a container is
 * spent on it. run_execute() sees the program to its end; the result is complete then, and its
 * container may still be there. run_clean_up() removes the container, so that this can happen after
 * the result was delivered.
 */
#ifndef RUN_RUN_H
#define RUN_RUN_H

#include <stdbool.h>

#include "base/error.h"
#include "run/run_state.h"

/*
 * Begins a run and packs its input. `tools` has the servers of tools that the plan names; NULL: the
 * plan names none. `result` is empty (RESULT_INIT). Returns whether to go on with
 * run_execute(); otherwise the result says why not. Call run_clean_up() in either case.
 */
bool run_begin(struct run *run, const struct docker *docker, const struct plan *plan,
               const struct run_observer *observer, const struct notifier *cancel,
               struct tool_set *tools, struct result *result);

/*
 * Runs the program and fills in the result, in the container of the session if it has one; that is
 * the only one then. NULL: the run uses no session. Else in `warm`, an instance that waits and is
 * in every respect what the plan needs; it is taken over. NULL: the run makes one of its own, as it
 * does if the warm one turns out to be dead before the program begins.
 */
void run_execute(struct run *run, struct run_session *session, struct instance *warm);

/*
 * The first step of that: makes a container for a run that has begun, whose supervisor then waits
 * in run->instance.
 */
int run_make_instance(struct run *run, struct error *error);

/*
 * Removes what remains of the run and frees everything. -1: the error names the container that may
 * still exist. The plan must still be valid.
 */
int run_clean_up(struct run *run, struct error *error);

#endif

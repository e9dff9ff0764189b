/*
 * The steps of a run: the program, how the time of a run is bounded, and how its end is written
 * into the result. For run/run.c, run/run_program.c and run/save.c.
 */
#ifndef RUN_RUN_STEPS_H
#define RUN_RUN_STEPS_H

#include <stdbool.h>

#include "run/run_state.h"

/*
 * Runs the program in the run's instance, which waits, and leaves the instance to be removed. The
 * program has to begin before `deadline` (clock_now_ms()). 0: it ran, and the result says how it
 * ended, also if isolator ended it. -1: it is not known to have begun (*begun is false), or how it
 * ended is not known.
 */
int run_program(struct run *run, long long deadline, bool *begun, struct error *error);

/* The latest time for the container to be up, and for the whole run to be over (clock_now_ms()). */
long long run_setup_deadline(const struct run *run);
long long run_end_deadline(const struct run *run);

/* Names the container and its image in the result; no container, if it was not created. */
void run_set_container(struct run *run, const struct owned_container *container);

/* Fills in how the program ended by itself. */
void run_set_end(struct run *run, const struct frame_end *end);

/* Fills in that memory ran out and the kernel ended the container, which reported no figures. */
void run_set_out_of_memory(struct run *run);

/* Fills in how long the program ran: at least 1 ms, since 0 means that it never ran. */
void run_set_duration(struct run *run, long long ms);

/* Fills in that isolator ended the program. `reason`: timeout, output-limit or cancelled. */
void run_set_stopped(struct run *run, enum reason reason);

/* Whether artifacts were requested and the run was not cancelled. */
bool run_wants_files(const struct run *run);

/*
 * Removes the container; a failure becomes a warning of the result. `drain`: see
 * container_remove().
 */
void run_remove_container(struct run *run, const struct owned_container *container,
                          const struct process_drain *drain);

#endif

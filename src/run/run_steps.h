/*
 * Steps that the kinds of runs share: how the time of a run is bounded, its container and its
 * files. For run/run.c, run/submission.c and run/save.c.
 */
#ifndef RUN_RUN_STEPS_H
#define RUN_RUN_STEPS_H

#include <stdbool.h>

#include "run/program_run.h"
#include "run/run_state.h"

/* How long the programs of the run may use its container, in ms. */
long long run_use_ms(const struct run *run);

/* How long its container is needed, by the run or by the session that keeps it, in ms. */
long long run_keep_ms(const struct run *run);

/*
 * The latest time (clock_now_ms()) for the container to be up, for the whole run to be over, and
 * for the next program of a submission to begin from now on.
 */
long long run_setup_deadline(const struct run *run);
long long run_end_deadline(const struct run *run);
long long run_restore_deadline(const struct run *run);

/* Names the container and its image in the result; no container, if it was not created. */
void run_set_container(struct run *run, const struct owned_container *container);

/* Adds those of its instance, each once: another one of the run may have caused the same. */
void run_add_warnings(struct run *run);

/* What a new container gets as files of the working directory; borrowed. */
const struct archive *run_archive(const struct run *run);

/*
 * The plan's program in the run's instance. Borrows its arguments; `name` stands for the program in
 * messages: "program".
 */
struct program_run run_program_of(struct run *run, const char *name, struct output_sink *output,
                                  struct result *result);

/*
 * After a build, if the plan says that files are looked at unrequested: notes the names of those in
 * the working directory, which the program has not written.
 */
void run_note_built(struct run *run);

/*
 * Runs the program whose result is the run's, as program_run() does. Then takes the files that were
 * requested and that it has left in its working directory, or looks at them unrequested.
 */
int run_main_program(struct run *run, struct program_run *program, long long deadline, bool *begun,
                     struct error *error);

/*
 * Removes the container; a failure becomes a warning of the result. `drain`: see
 * container_remove().
 */
void run_remove_container(struct run *run, const struct owned_container *container,
                          const struct process_drain *drain);

#endif

/*
 * Sharing: lines of one batch run in the same containers, one after the other, if its owner agrees.
 * That saves the engine's part of each, which takes most of the time of a short program. A line
 * finds nothing of the one before it: process 1 ends all processes and empties each place where a
 * program can leave something, as between the tests of a submission (FRAME_RESTORE).
 *
 * A container is for lines whose own one would be equal to it, and it is removed when a program has
 * not ended in an ordinary way. Of a Python program that can be a fork of a ready interpreter, the
 * container has that interpreter, and only lines with the same command and variables use it.
 */
#ifndef RUN_SHARING_H
#define RUN_SHARING_H

#include <stdbool.h>

#include "run/run_state.h"

/* How old a container may be when a line begins that shares it, in ms. */
enum { SHARING_AGE_MAX_MS = 3600000 };

/*
 * Whether the instance, which waits, suits a run of the plan, as far as sharing is concerned: it
 * has served no line, or fewer than the plan allows, and all else that matters is equal.
 */
bool sharing_suits(const struct instance *instance, const struct plan *plan);

/* Prepares the instance of a run that may share it; before its first program. */
void sharing_prepare(struct run *run);

/* How long it may take to empty the instance before the first program; 0: it need not be. */
long long sharing_restore_ms(const struct run *run);

/*
 * Prepare the first program of a run, which is preceded by that, and those after it, if the run may
 * share its instance.
 */
void sharing_begin(const struct run *run, struct program_request *request);
void sharing_go_on(const struct run *run, struct program_request *request);

/* Notes how a program has ended that is not the last one of the run. */
void sharing_note(const struct run *run);

/*
 * The run has ended: counts it. Returns whether its instance may serve another line, as far as is
 * known without asking it; if not, run_clean_up() removes it as always.
 */
bool sharing_end(struct run *run);

/* Whether the instance could not be emptied, so that nothing of the run has happened in it. */
bool sharing_has_failed(const struct run *run);

#endif

/*
 * Takes what a build has left in the working directory of a run, for the runs of the same program
 * that begin after it (request/built_files.h), and gives it to one of them. It is an exact copy,
 * which only goes into other containers: nothing in it is used here.
 */
#ifndef RUN_BUILT_ARCHIVE_H
#define RUN_BUILT_ARCHIVE_H

#include "base/shared_file.h"
#include "run/run_state.h"

/* After a build that went well: shares what it has left. If that fails, the next run builds too. */
void built_archive_take(struct run *run);

/*
 * Gives a run that has begun, of a plan without its build, these files in place of its own; its
 * limits are to be computed again. ERROR_SYSTEM.
 */
int built_archive_use(struct run *run, const struct shared_file *file, struct error *error);

#endif

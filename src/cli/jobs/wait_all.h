/*
 * `isolator wait --all`: fetches, except for jobs of models, the results of all jobs of this user
 * that are on the engine, in the order in which they end, also of those that a batch is still
 * starting.
 */
#ifndef CLI_JOBS_WAIT_ALL_H
#define CLI_JOBS_WAIT_ALL_H

#include <stdbool.h>

#include "base/error.h"
#include "cli/jobs/job_fetch.h"

/*
 * Prints the results like those of isolator batch, as a table if `as_table` is true, and not by
 * fetch->print; `quiet` prints neither progress nor the summary. A job that is in use by another
 * isolator is waited for. Signals are caught. Returns the exit status of the process, or -1 with
 * the error.
 */
int wait_for_all(const struct job_fetch *fetch, bool as_table, bool quiet, struct error *error);

#endif

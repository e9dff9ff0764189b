/*
 * Tells that a batch is starting jobs of this user, so that who waits for all jobs waits for those
 * that are still to come. It is a shared lock (flock(2)) on a file in the directory of the jobs,
 * which ends with the process.
 */
#ifndef SERVICE_JOB_BATCH_H
#define SERVICE_JOB_BATCH_H

#include <stdbool.h>

#include "base/error.h"

/* Returns a descriptor to close when all jobs are started, or -1 with ERROR_SYSTEM. */
int job_batch_begin(struct error *error);

/* Whether a batch is starting jobs. */
bool job_batch_runs(void);

#endif

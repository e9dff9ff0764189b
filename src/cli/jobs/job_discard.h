/*
 * Removes a job whose id could not be printed: no one knows that it runs, and who reads the error
 * starts it again.
 */
#ifndef CLI_JOBS_JOB_DISCARD_H
#define CLI_JOBS_JOB_DISCARD_H

#include "docker/docker.h"

/* A failure is a warning on stderr. */
void job_discard(const struct docker *docker, const char *id);

#endif

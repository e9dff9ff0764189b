/*
 * How many requests a command runs at the same time: --jobs.
 */
#ifndef CLI_JOBS_H
#define CLI_JOBS_H

#include "base/error.h"

/* One for each processor core, as far as --jobs allows it. */
int jobs_default(void);

/* Reads the value of --jobs. ERROR_USAGE. */
int jobs_parse(const char *value, int *jobs, struct error *error);

#endif

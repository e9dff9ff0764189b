/*
 * How many requests a command runs at the same time: --jobs.
 */
#ifndef CLI_JOBS_H
#define CLI_JOBS_H

enum { JOBS_MAX = 1024 };

/* One for each processor core, at most JOBS_MAX. */
int jobs_default(void);

#endif

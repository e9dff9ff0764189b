/*
 * How many requests a command runs at the same time: --jobs.
 */
#ifndef CLI_PARALLEL_H
#define CLI_PARALLEL_H

enum { PARALLEL_MAX = 1024 };

/* One for each processor core, at most PARALLEL_MAX. */
int parallel_default(void);

#endif

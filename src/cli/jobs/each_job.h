/*
 * What commands on several jobs share: they do something with each, and an error about one of them
 * does not keep them from the others.
 */
#ifndef CLI_JOBS_EACH_JOB_H
#define CLI_JOBS_EACH_JOB_H

#include "base/error.h"

/*
 * Calls `work` for each operand until one is interrupted; `work` returns an exit status, or -1 with
 * the error, which is printed. Catches signals. Returns the exit status of the process, the last
 * one that is not 0; -1 with the error if there is no operand, which says that no `kind` is named.
 */
int each_job(char *const *operands, const char *kind,
             int (*work)(void *context, const char *word, struct error *error), void *context,
             struct error *error);

#endif

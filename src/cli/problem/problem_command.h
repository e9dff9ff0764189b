/*
 * `isolator test --problem DIR`: tests the submissions of a problem package.
 */
#ifndef CLI_PROBLEM_COMMAND_H
#define CLI_PROBLEM_COMMAND_H

#include "base/error.h"
#include "cli/run_options.h"
#include "config/config.h"

/*
 * Reads the package and tests its submissions, or options->files; see grade_files(), which says
 * what it needs and returns.
 */
int problem_command(struct run_options *options, const struct config *config, struct error *error);

#endif

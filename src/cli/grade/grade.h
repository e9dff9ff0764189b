/*
 * The work of `isolator test` with several files: each is a program of its own, a solution, and
 * runs with the tests in a container of its own. Several run at the same time; what is printed
 * about them is in the order of the command line.
 *
 * The submissions of a problem package are such solutions, of each of which something is expected.
 */
#ifndef CLI_GRADE_H
#define CLI_GRADE_H

#include "base/error.h"
#include "cli/problem/problem_package.h"
#include "cli/run_options.h"
#include "config/config.h"

/*
 * Tests options->files, which are the submissions of the package unless that is NULL, and prints a
 * table or a line of JSON for each. If the time limit of the package is to be computed, it is
 * measured first, and set. What is wrong with one file is its own result. Call
 * signals_catch() first; a signal cancels what runs, and the results that are complete are printed.
 * No container remains.
 *
 * Returns the exit status of the process, or -1 if nothing was started: ERROR_USAGE if the options
 * are wrong for all files, ERROR_INPUT if the tests cannot be read, ERROR_SYSTEM.
 */
int grade_files(struct run_options *options, const struct config *config,
                struct problem_package *package, struct error *error);

#endif

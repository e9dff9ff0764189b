/*
 * What a command line names and a run needs: the file of the program, the directory of the tests
 * and the image.
 */
#ifndef CLI_RUN_INPUTS_H
#define CLI_RUN_INPUTS_H

#include <stdbool.h>

#include "base/error.h"
#include "cli/run_options.h"
#include "docker/docker.h"
#include "request/plan.h"

/* Whether the path, which may be NULL, is that of a directory. */
bool run_inputs_is_directory(const char *path);

/*
 * Makes a directory the input of the request, whose program is in it (cli/grade/
 * program_directory.h). ERROR_INPUT.
 */
int run_inputs_use_directory(struct request *request, const char *path, const struct config *config,
                             struct error *error);

/* Checks that the file exists and is not a directory. NULL and "-" are fine. ERROR_INPUT. */
int run_inputs_check_file(const char *file, struct error *error);

/*
 * Checks that the files to be sent with the program exist; as operands they may be meant as
 * arguments for it. ERROR_INPUT.
 */
int run_inputs_check_paths(const struct run_options *options, struct error *error);

/*
 * The language that the first line of a file without an extension names, "#!/usr/bin/env python3",
 * borrowed from the configuration; NULL: none that is known.
 */
const struct language *run_inputs_language(const char *file, const struct config *config);

/*
 * Opens a regular file of at most `max` bytes; "-" copies isolator's own stdin. Returns a
 * descriptor that the caller owns, or -1 with ERROR_INPUT.
 */
int run_inputs_open_file(const char *path, long long max, struct error *error);

/*
 * Reads the tests of the directory, options->tests, their checker and their grader into the
 * request, and options->test_warnings. ERROR_INPUT.
 */
int run_inputs_read_tests(struct run_options *options, const struct config *config,
                          struct error *error);

/*
 * Fetches the image of the plan, and those of its checker and grader, if they are not on the
 * engine. For a prepared image it fetches the base image, because no registry has a prepared image.
 */
int run_inputs_pull(const struct docker *docker, const struct plan *plan, struct error *error);

/* For --verbose: says which standard of its language the build of the program names, if it does. */
void run_inputs_print_standard(const char *file, const struct plan *plan,
                               const struct config *config);

#endif

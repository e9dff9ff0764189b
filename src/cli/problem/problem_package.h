/*
 * A problem package of Kattis or ICPC: how its tests are judged, its limits and its submissions.
 * Nothing of it runs on this host, and no link leads out of
 * it: it can be a stranger's, and what it names goes into containers.
 */
#ifndef CLI_PROBLEM_PACKAGE_H
#define CLI_PROBLEM_PACKAGE_H

#include "base/error.h"
#include "cli/grade/case_file.h"
#include "cli/problem/problem_settings.h"
#include "cli/problem/submissions.h"
#include "cli/run_options.h"
#include "config/config.h"

struct problem_package {
    const char *path; /* borrowed */
    char *shown;      /* owned; the path, escaped */
    struct test_root root;
    struct problem_settings settings;
    struct time_limit time_limit;
    struct submissions submissions; /* what is tested */
    /* All of the package, if the time limit is computed from them and others are tested; empty. */
    struct submissions all;
};

/*
 * Reads the package in the directory options->problem into an empty struct, which the caller
 * releases in any case. Sets the tests, their validator and the limits of the options, but not the
 * time limit, unless the caller has set limits, and adds to options->test_warnings. options->files
 * become those of the submissions. ERROR_INPUT that names the file, and the key.
 */
int problem_package_read(struct problem_package *package, struct run_options *options,
                         const struct config *config, struct error *error);

void problem_package_release(struct problem_package *package);

#endif

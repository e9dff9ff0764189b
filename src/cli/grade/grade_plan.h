/*
 * The plan of a solution that is graded (cli/grade/grade.h): its program, a file or a directory,
 * and the files that a package adds to it. Knows nothing of results.
 */
#ifndef CLI_GRADE_PLAN_H
#define CLI_GRADE_PLAN_H

#include "base/error.h"
#include "cli/problem/problem_package.h"
#include "cli/run_options.h"
#include "config/config.h"
#include "request/plan.h"

/* What a plan is made of; all borrowed. */
struct grade_source {
    struct run_options *options; /* its request lends its tests, and what all solutions share */
    const struct config *config;
    const struct problem_package *package; /* NULL: the file is not that of one */
    const char *file;
    const struct submission *submission; /* of the package; NULL: nothing is expected of it */
    const struct time_limit *time_limit; /* of the package; NULL: the file is not of one */
};

/*
 * Resolves an empty plan, with tests that all plans share. On failure the request has its tests
 * still. Errors are those of plan_resolve() and of run_inputs_use_directory().
 */
int grade_plan_resolve(const struct grade_source *source, struct plan *plan, struct error *error);

/* Resolves it, opens its file, and adds the files of the package, one of which may be run. */
int grade_plan_complete(const struct grade_source *source, struct plan *plan, struct error *error);

#endif

#include "cli/problem/problem_command.h"

#include "base/cleanup.h"
#include "cli/grade/grade.h"
#include "cli/problem/problem_package.h"

int problem_command(struct run_options *options, const struct config *config, struct error *error)
{
    CLEANUP(problem_package_release) struct problem_package package;

    return problem_package_read(&package, options, config, error) == 0
               ? grade_files(options, config, &package, error)
               : -1;
}

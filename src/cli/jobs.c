#include "cli/jobs.h"

#include "base/linux.h"
#include "cli/command_line.h"

enum { JOBS_MAX = 1024 };

int jobs_default(void)
{
    const int cores = linux_cores();

    return cores < JOBS_MAX ? cores : JOBS_MAX;
}

int jobs_parse(const char *value, int *jobs, struct error *error)
{
    return command_line_number("--jobs", value, 1, JOBS_MAX, jobs, error);
}

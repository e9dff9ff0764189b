#include "cli/jobs.h"

#include "base/linux.h"

int jobs_default(void)
{
    const int cores = linux_cores();

    return cores < JOBS_MAX ? cores : JOBS_MAX;
}

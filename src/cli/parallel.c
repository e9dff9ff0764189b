#include "cli/parallel.h"

#include "base/linux.h"

int parallel_default(void)
{
    const int cores = linux_cores();

    return cores < PARALLEL_MAX ? cores : PARALLEL_MAX;
}

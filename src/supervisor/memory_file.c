#define _GNU_SOURCE
#include "supervisor/memory_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>

/* A kernel can demand that a memfd says whether it may be executed; one before Linux 6.3 refuses.
 */
int memory_file_make(const char *name)
{
    const int fd = memfd_create(name, MEMORY_FILE_FLAGS | MEMORY_FILE_NOT_EXECUTABLE);

    return fd < 0 && errno == EINVAL ? memfd_create(name, MEMORY_FILE_FLAGS) : fd;
}

bool memory_file_seal(int fd)
{
    return fcntl(fd, F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE) == 0;
}

bool memory_file_open_pair(const char *name, int ends[2])
{
    ends[1] = memory_file_make(name);
    ends[0] = ends[1] < 0 ? -1 : memory_file_reopen(ends[1]);
    return ends[0] >= 0;
}

int memory_file_reopen(int fd)
{
    char path[32];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_RDONLY | O_CLOEXEC);
}

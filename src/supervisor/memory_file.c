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
    const unsigned flags = MFD_CLOEXEC | MFD_ALLOW_SEALING, not_executable = 8;
    const int fd = memfd_create(name, flags | not_executable); /* MFD_NOEXEC_SEAL */

    return fd < 0 && errno == EINVAL ? memfd_create(name, flags) : fd;
}

int memory_file_reopen(int fd)
{
    char path[32];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_RDONLY | O_CLOEXEC);
}

#define _GNU_SOURCE
#include "base/linux.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

int linux_unnamed_file(void)
{
    return memfd_create("isolator", MFD_CLOEXEC);
}

int linux_pipe(int fds[2])
{
    return pipe2(fds, O_CLOEXEC);
}

int linux_pidfd(pid_t pid)
{
    /* The kernel sets close-on-exec by itself. No wrapper: musl and older glibc have none. */
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

void linux_random(void *buffer, size_t length)
{
    /* Up to 256 bytes come whole and without EINTR (getrandom(2)). */
    if (length > 256 || getrandom(buffer, length, 0) != (ssize_t)length)
        abort();
}

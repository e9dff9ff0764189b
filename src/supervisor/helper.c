#include "supervisor/helper.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "supervisor/connection.h"
#include "supervisor/descriptors.h"
#include "supervisor/own_memory.h"

static bool open_both(int to[2], int from[2])
{
    to[0] = to[1] = from[0] = from[1] = -1;
    return pipe(to) == 0 && pipe(from) == 0;
}

bool helper_open_pipes(int to[2], int from[2])
{
    if (!open_both(to, from)) {
        const int error = errno;

        descriptor_close(&to[0]);
        descriptor_close(&to[1]);
        errno = error;
        return false;
    }
    for (int i = 0; i < 2; i++) {
        fcntl(to[i], F_SETFD, FD_CLOEXEC);
        fcntl(from[i], F_SETFD, FD_CLOEXEC);
    }
    fcntl(to[1], F_SETFL, O_NONBLOCK);
    fcntl(from[0], F_SETFL, O_NONBLOCK);
    return true;
}

pid_t helper_fork(void *own, size_t own_size)
{
    pid_t pid;
    int error;

    own_memory_set_shared(own, own_size, false);
    pid = fork();
    if (pid == 0)
        return 0;
    error = errno;
    own_memory_set_shared(own, own_size, true);
    own_memory_touch_stack();
    connection_touch_memory();
    errno = error;
    return pid;
}

static bool is_among(int fd, const int *kept, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (kept[i] == fd)
            return true;
    return false;
}

void helper_close_others(const int *kept, size_t count)
{
    enum { HIGHEST = 128 }; /* the supervisor has no higher ones */

    for (int fd = 0; fd < HIGHEST; fd++)
        if (!is_among(fd, kept, count))
            close(fd);
}

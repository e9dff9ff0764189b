#include "base/wake.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/linux.h"

int wake_open(struct wake *wake, struct error *error)
{
    if (linux_pipe(wake->fds) != 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot make a pipe");
    for (int i = 0; i < 2; i++)
        fcntl(wake->fds[i], F_SETFL, O_NONBLOCK);
    return 0;
}

void wake_up(const struct wake *wake)
{
    if (write(wake->fds[1], "", 1) < 0)
        return; /* full: it is awake */
}

int wake_fd(const struct wake *wake)
{
    return wake->fds[0];
}

void wake_clear(const struct wake *wake)
{
    char bytes[256];

    while (read(wake->fds[0], bytes, sizeof bytes) == (ssize_t)sizeof bytes)
        ;
}

void wake_release(struct wake *wake)
{
    close(wake->fds[0]);
    close(wake->fds[1]);
}

#include "base/cancel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/linux.h"

int cancel_open(struct cancel *cancel, struct error *error)
{
    if (linux_pipe(cancel->fds) != 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot make a pipe");
    for (int i = 0; i < 2; i++)
        fcntl(cancel->fds[i], F_SETFL, O_NONBLOCK);
    return 0;
}

void cancel_raise(const struct cancel *cancel)
{
    const int saved = errno;

    /* A full pipe is raised already. */
    if (write(cancel->fds[1], "", 1) < 0)
        errno = saved;
}

bool cancel_raised(const struct cancel *cancel)
{
    struct pollfd polled = {cancel_fd(cancel), POLLIN, 0};

    return polled.fd >= 0 && poll(&polled, 1, 0) > 0;
}

int cancel_fd(const struct cancel *cancel)
{
    return cancel ? cancel->fds[0] : -1;
}

void cancel_release(struct cancel *cancel)
{
    for (int i = 0; i < 2; i++) {
        if (cancel->fds[i] >= 0)
            close(cancel->fds[i]);
        cancel->fds[i] = -1;
    }
}

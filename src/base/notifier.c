#include "base/notifier.h"

#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <unistd.h>

#include "base/linux.h"

int notifier_open(struct notifier *notifier, struct error *error)
{
    notifier->fd = linux_eventfd();
    if (notifier->fd < 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot create an eventfd");
    return 0;
}

int notifier_open_either(struct notifier *notifier, const struct notifier *one,
                         const struct notifier *other, struct error *error)
{
    notifier->fd = linux_either_readable(notifier_fd(one), notifier_fd(other));
    if (notifier->fd < 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot create an epoll descriptor");
    return 0;
}

void notifier_raise(const struct notifier *notifier)
{
    const uint64_t one = 1;
    const int saved = errno;

    /* It fails only if the counter is at its maximum, and then the notifier is raised already. */
    if (write(notifier->fd, &one, sizeof one) < 0)
        errno = saved;
}

bool notifier_raised(const struct notifier *notifier)
{
    struct pollfd polled = {notifier_fd(notifier), POLLIN, 0};

    return polled.fd >= 0 && poll(&polled, 1, 0) > 0;
}

void notifier_clear(const struct notifier *notifier)
{
    uint64_t count;

    /* One read sets the counter to zero (eventfd(2)); it fails if it is zero already. */
    if (read(notifier->fd, &count, sizeof count) < 0)
        return;
}

int notifier_fd(const struct notifier *notifier)
{
    return notifier ? notifier->fd : -1;
}

void notifier_release(struct notifier *notifier)
{
    if (notifier->fd >= 0)
        close(notifier->fd);
    notifier->fd = -1;
}

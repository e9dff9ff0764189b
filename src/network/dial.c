#define _GNU_SOURCE
#include "network/dial.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"

/* How long an address has before the next one is tried as well: RFC 8305, 5. */
enum { NEXT_MS = 250 };

static void close_attempt(int *fd)
{
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
}

static socklen_t fill_in(const struct ip_address *address, unsigned port,
                         struct sockaddr_storage *filled)
{
    struct sockaddr_in in = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    struct sockaddr_in6 in6 = {.sin6_family = AF_INET6, .sin6_port = htons((uint16_t)port)};

    if (address->family == AF_INET) {
        memcpy(&in.sin_addr, address->bytes, sizeof in.sin_addr);
        memcpy(filled, &in, sizeof in);
        return sizeof in;
    }
    memcpy(&in6.sin6_addr, address->bytes, sizeof in6.sin6_addr);
    memcpy(filled, &in6, sizeof in6);
    return sizeof in6;
}

/* Begins the next attempt. */
static void begin_next(struct dial *dial)
{
    struct epoll_event event = {.events = EPOLLOUT, .data.u64 = dial->tag};
    int *fd = &dial->fds[dial->begun];
    struct sockaddr_storage address;
    const socklen_t length = fill_in(&dial->addresses[dial->begun++], dial->port, &address);
    const int on = 1;

    dial->next_at = clock_now_ms() + NEXT_MS;
    if (dial->begun > DIAL_OPEN_MAX)
        close_attempt(&dial->fds[dial->begun - 1 - DIAL_OPEN_MAX]);
    *fd = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (*fd < 0) {
        dial->error = errno;
        return;
    }
    setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if ((connect(*fd, (const struct sockaddr *)&address, length) == 0 || errno == EINPROGRESS) &&
        epoll_ctl(dial->epoll, EPOLL_CTL_ADD, *fd, &event) == 0)
        return;
    dial->error = errno;
    close_attempt(fd);
}

void dial_begin(struct dial *dial, int epoll, uint64_t tag, const struct ip_address *addresses,
                size_t count, unsigned port)
{
    *dial = (struct dial){.epoll = epoll, .tag = tag, .count = count, .port = port};
    memcpy(dial->addresses, addresses, count * sizeof *addresses);
    memset(dial->fds, -1, sizeof dial->fds);
}

/* Whether the attempt has succeeded. One that has failed is closed. */
static bool is_connected(struct dial *dial, int *fd)
{
    struct pollfd polled = {*fd, POLLOUT, 0};
    int error = 0;
    socklen_t size = sizeof error;

    if (*fd < 0 || poll(&polled, 1, 0) <= 0)
        return false;
    if (getsockopt(*fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0)
        return true;
    dial->error = error != 0 ? error : errno;
    close_attempt(fd);
    return false;
}

static bool has_attempts(const struct dial *dial)
{
    for (size_t i = 0; i < dial->begun; i++)
        if (dial->fds[i] >= 0)
            return true;
    return false;
}

int dial_check(struct dial *dial)
{
    for (;;) {
        for (size_t i = 0; i < dial->begun; i++)
            if (is_connected(dial, &dial->fds[i])) {
                const int fd = dial->fds[i];

                dial->fds[i] = -1;
                epoll_ctl(dial->epoll, EPOLL_CTL_DEL, fd, NULL);
                dial_release(dial);
                return fd;
            }
        if (dial->begun == dial->count)
            return has_attempts(dial) ? -1 : -2;
        if (has_attempts(dial) && clock_now_ms() < dial->next_at)
            return -1;
        begin_next(dial);
    }
}

void dial_release(struct dial *dial)
{
    for (size_t i = 0; i < dial->begun; i++)
        close_attempt(&dial->fds[i]);
    dial->begun = dial->count = 0;
}

#include "test.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "network/dial.h"

/* A host that answers nothing: no connection fits the queue of its listener any more. */
struct silent_host {
    int listener, queued;
    unsigned port;
};

static void open_host(struct silent_host *host)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    struct pollfd polled;

    host->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    host->queued = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(bind(host->listener, (const struct sockaddr *)&address, size), 0);
    assert_int_equal(getsockname(host->listener, (struct sockaddr *)&address, &size), 0);
    assert_int_equal(listen(host->listener, 0), 0);
    assert_int_equal(connect(host->queued, (const struct sockaddr *)&address, size), 0);
    polled = (struct pollfd){host->listener, POLLIN, 0};
    assert_int_equal(poll(&polled, 1, 60000), 1);
    host->port = ntohs(address.sin_port);
}

static void close_host(const struct silent_host *host)
{
    close(host->listener);
    close(host->queued);
}

static size_t count_open(const struct dial *dial)
{
    size_t count = 0;

    for (size_t i = 0; i < LOOKUP_ADDRESSES_MAX; i++)
        count += dial->fds[i] >= 0;
    return count;
}

/* The oldest attempts are given up. */
CASE(dial__three_addresses_at_once)
{
    struct ip_address addresses[5];
    const int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct silent_host host;
    struct dial dial;

    open_host(&host);
    for (size_t i = 0; i < 5; i++)
        assert_true(ip_address_parse("127.0.0.1", &addresses[i]));
    dial_begin(&dial, epoll, 1, addresses, 5, host.port);
    while (dial.begun < dial.count) {
        dial.next_at = 0; /* the next one is due */
        assert_int_equal(dial_check(&dial), -1);
        assert_in_range(count_open(&dial), 1, 3);
    }
    assert_int_equal(dial.fds[0], -1);
    assert_int_equal(dial.fds[1], -1);
    assert_int_equal(count_open(&dial), 3);
    dial_release(&dial);
    assert_int_equal(count_open(&dial), 0);
    close(epoll);
    close_host(&host);
}

#define _GNU_SOURCE
#include "tls/server.h"

#include <errno.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/strbuf.h"
#include "tls/bridge.h"
#include "tls/isolator_link.h"

/*
 * Events that are taken at once, messages of isolator that are read at once, and descriptors that
 * are no connection's, with those of the next message.
 */
enum { EVENTS_MAX = 64, MESSAGES_MAX = 16, OTHER_DESCRIPTORS = 16 };

/* See struct bridge_context. */
enum { PROGRAM_MS = 30000, HOST_MS = 15000, END_MS = 2000 };

/* The number of isolator's socket in epoll; those of connections are smaller. */
enum { LINK_NUMBER = 2 * TLS_SERVER_CONNECTIONS_MAX };

struct tls_server {
    struct bridge_context context;
    struct bridge *bridges[TLS_SERVER_CONNECTIONS_MAX]; /* owned; NULL: free */
    unsigned max;                                       /* how many there may be */
};

static unsigned connections_max(void)
{
    struct rlimit limit = {OTHER_DESCRIPTORS, OTHER_DESCRIPTORS};

    getrlimit(RLIMIT_NOFILE, &limit);
    if (limit.rlim_cur < OTHER_DESCRIPTORS + 2)
        return 1;
    if (limit.rlim_cur >= OTHER_DESCRIPTORS + 2 * TLS_SERVER_CONNECTIONS_MAX)
        return TLS_SERVER_CONNECTIONS_MAX;
    return (unsigned)(limit.rlim_cur - OTHER_DESCRIPTORS) / 2;
}

static void serve(struct tls_server *server, unsigned slot, bool has_gone)
{
    struct bridge **bridge = &server->bridges[slot];

    if (!*bridge)
        return;
    bridge_serve(*bridge, has_gone);
    if (bridge_is_closed(*bridge)) {
        bridge_free(*bridge);
        *bridge = NULL;
    }
}

static void refuse(struct tls_server *server, struct link_order *order, const char *why)
{
    link_send_given_up(server->context.link, order, 502, why);
    link_order_free(order);
}

static void begin(struct tls_server *server, struct link_order *order)
{
    unsigned slot = 0;

    while (slot < server->max && server->bridges[slot])
        slot++;
    if (slot == server->max) {
        CLEANUP_FREE char *why = string_format(
            "there are %u connections with TLS already, which is the limit", server->max);

        refuse(server, order, why);
        return;
    }
    server->bridges[slot] = bridge_new(&server->context, slot, order);
    serve(server, slot, false);
}

/* Returns false when isolator has ended; `problem` is set if it has sent something wrong. */
static bool read_link(struct tls_server *server, const char **problem)
{
    struct link_order *order;

    for (int i = 0; i < MESSAGES_MAX; i++)
        switch (link_read(server->context.link, &order, problem)) {
        case LINK_OPENED:
            begin(server, order);
            break;
        case LINK_REFUSED:
            refuse(server, order, "the system refuses the sockets of a connection with TLS");
            break;
        case LINK_NOTHING:
            return true;
        case LINK_ENDED:
            *problem = NULL;
            return false;
        case LINK_WRONG:
            return false;
        }
    return true;
}

/* Serves the connections that wait for a time which has come. Returns how long to wait, in ms. */
static int serve_late(struct tls_server *server)
{
    long long now = clock_now_ms(), next = 0;

    for (unsigned slot = 0; slot < server->max; slot++) {
        struct bridge *bridge = server->bridges[slot];
        long long deadline = bridge ? bridge_deadline(bridge) : 0;

        if (deadline != 0 && deadline <= now) {
            serve(server, slot, false);
            bridge = server->bridges[slot];
            deadline = bridge ? bridge_deadline(bridge) : 0;
        }
        if (deadline != 0 && (next == 0 || deadline < next))
            next = deadline;
    }
    now = clock_now_ms();
    return next == 0 ? -1 : next <= now ? 0 : (int)(next - now);
}

const char *tls_server_run(struct contexts *contexts, int link)
{
    CLEANUP_FD int epoll = epoll_create1(EPOLL_CLOEXEC);
    struct tls_server server = {.context = {.contexts = contexts,
                                            .epoll = epoll,
                                            .link = link,
                                            .program_ms = PROGRAM_MS,
                                            .host_ms = HOST_MS,
                                            .end_ms = END_MS},
                                .max = connections_max()};
    struct epoll_event events[EVENTS_MAX] = {{.events = EPOLLIN, .data.u64 = LINK_NUMBER}};
    const char *problem = NULL;

    if (epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, link, &events[0]) != 0)
        return "the system refuses epoll";
    for (;;) {
        const int wait_ms = serve_late(&server);
        const int count = epoll_wait(epoll, events, EVENTS_MAX, wait_ms);

        for (int i = 0; i < count; i++) {
            const unsigned number = (unsigned)events[i].data.u64;
            const bool has_gone = number % 2 == 0 && (events[i].events & (EPOLLHUP | EPOLLERR));

            if (number != LINK_NUMBER)
                serve(&server, number / 2, has_gone);
            else if (!read_link(&server, &problem))
                return problem;
        }
        if (count < 0 && errno != EINTR)
            return "the system refuses to wait";
    }
}

#define _GNU_SOURCE
#include "network/proxy.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/timer.h"
#include "network/connection.h"
#include "network/lookup.h"

/*
 * What the relay may send in addition to twice the bytes of the request: what is refused or dropped
 * is bounded, too, and so are attempts to connect.
 */
enum { MAX_EXTRA = 64 << 20 };

/* The tags of the timer and the terminator in epoll: no slots. */
enum { TIMER_TAG = MUX_PROXY_MAX, TERMINATOR_TAG };

enum { EVENTS_MAX = 64 };

struct proxy {
    struct connection_context context;
    uint64_t first_number; /* of its connections; those before are an older proxy's */
    int timer;             /* owned, as is context.epoll */
    struct connection *connections[MUX_PROXY_MAX]; /* owned; by slot */
};

static int watch(const struct proxy *proxy, int fd, uint64_t tag)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = tag};

    return epoll_ctl(proxy->context.epoll, EPOLL_CTL_ADD, fd, &event);
}

/*
 * Takes what the terminator has to tell; nothing of the connections of an older proxy that has had
 * the same terminator. A connection that ends may be gone before the reason comes.
 */
static void take_reports(struct proxy *proxy)
{
    struct terminator *terminator = proxy->context.terminator;
    struct terminator_report report;

    if (!terminator || terminator_has_ended(terminator))
        return;
    while (terminator_take_report(terminator, &report)) {
        if (report.number >= proxy->first_number)
            connection_log(&proxy->context, report.host, report.port,
                           report.status == 403 ? NETWORK_REFUSED : NETWORK_FAILED, report.reason,
                           clock_now_ms());
        terminator_report_release(&report);
    }
    if (terminator_has_ended(terminator)) {
        CLEANUP_FREE char *words = terminator_words(terminator);
        CLEANUP_FREE char *reason = string_format("isolator-tls has ended%s%s, and with it the "
                                                  "connections whose TLS it had",
                                                  *words ? " with: " : "", words);

        network_log_add(proxy->context.log, "", 0, NETWORK_FAILED, reason);
    }
}

static void end_connections(struct proxy *proxy)
{
    for (size_t i = 0; i < MUX_PROXY_MAX; i++) {
        connection_free(proxy->connections[i]);
        proxy->connections[i] = NULL;
    }
}

void proxy_free(struct proxy *proxy)
{
    if (!proxy)
        return;
    take_reports(proxy);
    end_connections(proxy);
    lookups_leave(proxy->context.lookups);
    if (proxy->context.epoll >= 0)
        close(proxy->context.epoll);
    if (proxy->timer >= 0)
        close(proxy->timer);
    free(proxy);
}

/* ---- time */

/* Sets the timer for the connection whose deadline is the first. */
static void set_timer(void *context)
{
    const struct proxy *proxy = context;
    long long first = 0, ms = 0;

    for (size_t i = 0; i < MUX_PROXY_MAX; i++) {
        const long long deadline = connection_deadline(proxy->connections[i]);

        if (deadline != 0 && (first == 0 || deadline < first))
            first = deadline;
    }
    if (first != 0) {
        const long long left = first - clock_now_ms();

        ms = left > 0 ? left : 1;
    }
    timer_set_ms(proxy->timer, (uint64_t)ms);
}

static void serve_late(struct proxy *proxy)
{
    const long long now = clock_now_ms();
    uint64_t ignored;

    if (read(proxy->timer, &ignored, sizeof ignored) != sizeof ignored)
        return;
    for (size_t i = 0; i < MUX_PROXY_MAX; i++) {
        const long long deadline = connection_deadline(proxy->connections[i]);

        if (deadline != 0 && deadline <= now)
            connection_serve(proxy->connections[i], false);
    }
}

static void serve(void *context)
{
    struct proxy *proxy = context;
    struct epoll_event events[EVENTS_MAX];
    const int count = epoll_wait(proxy->context.epoll, events, EVENTS_MAX, 0);

    take_reports(proxy);
    for (int i = 0; i < count; i++)
        if (events[i].data.u64 == TIMER_TAG)
            serve_late(proxy);
        else if (events[i].data.u64 != TERMINATOR_TAG && proxy->connections[events[i].data.u64])
            connection_serve(proxy->connections[events[i].data.u64],
                             (events[i].events & ~(uint32_t)EPOLLIN) != 0);
    set_timer(proxy);
}

/* ---- what the relay says, as struct mux_service has it */

static bool take_open(void *context, unsigned slot)
{
    struct proxy *proxy = context;

    if (proxy->connections[slot])
        return false;
    proxy->connections[slot] = connection_new(&proxy->context, slot);
    return true;
}

static bool take_data(void *context, unsigned slot, const char *bytes, size_t length)
{
    struct connection *connection = ((struct proxy *)context)->connections[slot];

    if (!connection || !connection_take_data(connection, bytes, length))
        return false;
    connection_serve(connection, false);
    return true;
}

static bool take_credit(void *context, unsigned slot, uint32_t bytes)
{
    struct connection *connection = ((struct proxy *)context)->connections[slot];

    if (!connection || !connection_take_credit(connection, bytes))
        return false;
    connection_serve(connection, false);
    return true;
}

static bool take_end(void *context, unsigned slot)
{
    struct connection *connection = ((struct proxy *)context)->connections[slot];

    if (!connection || !connection_take_end(connection))
        return false;
    connection_serve(connection, false);
    return true;
}

static bool take_close(void *context, unsigned slot)
{
    struct proxy *proxy = context;

    if (!proxy->connections[slot])
        return false;
    connection_close(proxy->connections[slot]);
    connection_free(proxy->connections[slot]);
    proxy->connections[slot] = NULL;
    return true;
}

static void note_failure(void *context, int number)
{
    const struct proxy *proxy = context;
    CLEANUP_FREE char *reason = string_format(
        "the container has no proxy: cannot listen at port %d: %s", MUX_PORT, strerror(number));

    network_log_add(proxy->context.log, "", 0, NETWORK_FAILED, reason);
}

static void break_off(void *context, const char *reason)
{
    struct proxy *proxy = context;

    network_log_add(proxy->context.log, "", 0, NETWORK_FAILED, reason);
    end_connections(proxy);
}

/* ---- to the relay */

/* Connections that had no room for what hosts send have some again. */
static void read_again(void *context)
{
    struct proxy *proxy = context;

    for (size_t i = 0; i < MUX_PROXY_MAX; i++)
        if (proxy->connections[i])
            connection_rearm(proxy->connections[i]);
}

/* ---- its beginning */

static int add_service(struct proxy *proxy, struct error *error)
{
    const struct network_rules *rules = proxy->context.rules;
    const struct mux_service service = {
        .context = proxy,
        .first = 0,
        .count = (unsigned)rules->max_connections,
        .max_bytes = 2 * (unsigned long long)rules->max_bytes + MAX_EXTRA,
        .fd = proxy->context.epoll,
        .timer = -1,
        .take_open = take_open,
        .take_data = take_data,
        .take_credit = take_credit,
        .take_end = take_end,
        .take_close = take_close,
        .taken = set_timer,
        .serve = serve,
        .has_room = read_again,
        .failed = note_failure,
        .broken = break_off,
    };

    return mux_link_add(proxy->context.link, &service, error);
}

struct proxy *proxy_new(const struct network_rules *rules, struct terminator *terminator,
                        struct network_log *log, const struct docker *docker, struct mux_link *link,
                        struct error *error)
{
    struct proxy *proxy = memory_allocate(sizeof *proxy);

    *proxy = (struct proxy){
        .context = {.rules = rules,
                    .log = log,
                    .docker = docker,
                    .terminator = terminator,
                    .link = link,
                    .lookups = lookups_new(),
                    .epoll = epoll_create1(EPOLL_CLOEXEC)},
        .first_number = terminator ? terminator_last_number(terminator) + 1 : 0,
        .timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC),
    };
    if (proxy->context.epoll < 0 || proxy->timer < 0 ||
        watch(proxy, proxy->timer, TIMER_TAG) != 0 ||
        (terminator && !terminator_has_ended(terminator) &&
         watch(proxy, terminator_fd(terminator), TERMINATOR_TAG) != 0))
        error_set_errno(error, ERROR_SYSTEM, "cannot wait for connections");
    else if (add_service(proxy, error) == 0)
        return proxy;
    proxy_free(proxy);
    return NULL;
}

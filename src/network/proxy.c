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
#include "base/mux.h"
#include "base/strbuf.h"
#include "network/connection.h"
#include "network/lookup.h"

/*
 * What the relay may send in addition to twice the bytes of the request, and what a connection
 * counts: what is refused or dropped is bounded, too, and so are attempts to connect.
 */
enum { MAX_EXTRA = 64 << 20, OPEN_COST = 1024 };

/* The tags of the timer and the terminator in epoll: no slots. */
enum { TIMER_TAG = MUX_SLOTS_MAX, TERMINATOR_TAG };

enum { EVENTS_MAX = 64 };

/*
 * A relay opens a slot again only after CLOSE from both sides. So less than this is kept for it:
 * what hosts may send, and in each slot a short text and a few messages.
 */
enum { OUT_MAX = 4 * CONNECTION_OUT_MAX };

struct proxy {
    struct connection_context context;
    uint64_t first_number;    /* of its connections; those before are an older proxy's */
    int timer;                /* owned, as is context.epoll */
    struct strbuf in;         /* the start of a message */
    struct strbuf out;        /* messages for the relay */
    size_t out_at;            /* of which these bytes were given */
    bool broken;              /* nothing more is taken */
    bool has_begun;           /* the relay has said whether it listens */
    unsigned long long spent; /* bytes that were taken, see MAX_EXTRA */
    size_t taken;             /* of which these are new to proxy_taken() */
    struct connection *connections[MUX_SLOTS_MAX]; /* owned; by slot */
};

static int watch(const struct proxy *proxy, int fd, uint64_t tag)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = tag};

    return epoll_ctl(proxy->context.epoll, EPOLL_CTL_ADD, fd, &event);
}

struct proxy *proxy_new(const struct network_rules *rules, struct terminator *terminator,
                        struct network_log *log, const struct docker *docker, struct error *error)
{
    struct proxy *proxy = memory_allocate(sizeof *proxy);

    *proxy = (struct proxy){
        .context = {.rules = rules,
                    .log = log,
                    .docker = docker,
                    .terminator = terminator,
                    .lookups = lookups_new(),
                    .epoll = epoll_create1(EPOLL_CLOEXEC)},
        .first_number = terminator ? terminator_last_number(terminator) + 1 : 0,
        .timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC),
    };
    proxy->context.out = &proxy->out;
    if (proxy->context.epoll >= 0 && proxy->timer >= 0 &&
        watch(proxy, proxy->timer, TIMER_TAG) == 0 &&
        (!terminator || terminator_has_ended(terminator) ||
         watch(proxy, terminator_fd(terminator), TERMINATOR_TAG) == 0))
        return proxy;
    error_set_errno(error, ERROR_SYSTEM, "cannot wait for connections");
    proxy_free(proxy);
    return NULL;
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
    for (size_t i = 0; i < MUX_SLOTS_MAX; i++) {
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
    strbuf_release(&proxy->in);
    strbuf_release(&proxy->out);
    free(proxy);
}

int proxy_fd(const struct proxy *proxy)
{
    return proxy->context.epoll;
}

/* ---- time */

/* Sets the timer for the connection whose deadline is the first. */
static void set_timer(const struct proxy *proxy)
{
    struct itimerspec once = {.it_value = {0, 0}};
    long long first = 0;

    for (size_t i = 0; i < MUX_SLOTS_MAX; i++) {
        const long long deadline = connection_deadline(proxy->connections[i]);

        if (deadline != 0 && (first == 0 || deadline < first))
            first = deadline;
    }
    if (first != 0) {
        const long long left = first - clock_now_ms();
        const long long ms = left > 0 ? left : 1;

        once.it_value = (struct timespec){(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    }
    timerfd_settime(proxy->timer, 0, &once, NULL);
}

static void serve_late(struct proxy *proxy)
{
    const long long now = clock_now_ms();
    uint64_t ignored;

    if (read(proxy->timer, &ignored, sizeof ignored) != sizeof ignored)
        return;
    for (size_t i = 0; i < MUX_SLOTS_MAX; i++) {
        const long long deadline = connection_deadline(proxy->connections[i]);

        if (deadline != 0 && deadline <= now)
            connection_serve(proxy->connections[i], false);
    }
}

void proxy_serve(struct proxy *proxy)
{
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

/* ---- what the relay says */

static bool begin_connection(struct proxy *proxy, unsigned slot)
{
    if (proxy->connections[slot] || slot >= (unsigned)proxy->context.rules->max_connections)
        return false;
    proxy->spent += OPEN_COST;
    proxy->connections[slot] = connection_new(&proxy->context, slot);
    return true;
}

static void end_connection(struct proxy *proxy, unsigned slot)
{
    connection_close(proxy->connections[slot]);
    connection_free(proxy->connections[slot]);
    proxy->connections[slot] = NULL;
}

/* The relay cannot listen. */
static void note_failure(const struct proxy *proxy, uint32_t number)
{
    CLEANUP_FREE char *reason =
        string_format("the container has no proxy: cannot listen at port %d: %s", MUX_PORT,
                      strerror((int)number));

    network_log_add(proxy->context.log, "", 0, NETWORK_FAILED, reason);
}

static bool take_of_connection(struct connection *connection, const struct mux_message *message,
                               const char *payload)
{
    bool good;

    switch (message->type) {
    case MUX_DATA:
        good = connection_take_data(connection, payload, message->length);
        break;
    case MUX_CREDIT:
        good = message->length == 4 &&
               connection_take_credit(connection, mux_read_number((const unsigned char *)payload));
        break;
    case MUX_END:
        good = message->length == 0 && connection_take_end(connection);
        break;
    default:
        return false;
    }
    if (good)
        connection_serve(connection, false);
    return good;
}

/* The relay says once whether it listens. False: it has done so. */
static bool begin_relay(struct proxy *proxy)
{
    const bool is_first = !proxy->has_begun;

    proxy->has_begun = true;
    return is_first;
}

/* False: the relay must not say this. */
static bool take_message(struct proxy *proxy, const struct mux_message *message,
                         const char *payload)
{
    switch (message->type) {
    case MUX_LISTENS:
        return message->length == 0 && begin_relay(proxy);
    case MUX_FAILED:
        if (message->length != 4 || !begin_relay(proxy))
            return false;
        note_failure(proxy, mux_read_number((const unsigned char *)payload));
        return true;
    case MUX_OPEN:
        return message->length == 0 && begin_connection(proxy, message->slot);
    case MUX_CLOSE:
        if (message->length != 0 || !proxy->connections[message->slot])
            return false;
        end_connection(proxy, message->slot);
        return true;
    default:
        return proxy->connections[message->slot] &&
               take_of_connection(proxy->connections[message->slot], message, payload);
    }
}

static void break_off(struct proxy *proxy, const char *reason)
{
    network_log_add(proxy->context.log, "", 0, NETWORK_FAILED, reason);
    proxy->broken = true;
    end_connections(proxy);
    strbuf_release(&proxy->in);
    strbuf_release(&proxy->out);
    proxy->out_at = 0;
}

/* Handles the messages that are complete. False: one of them must not come. */
static bool take_messages(struct proxy *proxy)
{
    size_t done = 0;

    while (proxy->in.length - done >= MUX_HEADER) {
        const char *header = proxy->in.data + done;
        struct mux_message message;

        if (!mux_read((const unsigned char *)header, &message))
            return false;
        if (proxy->in.length - done - MUX_HEADER < message.length)
            break;
        if (!take_message(proxy, &message, header + MUX_HEADER) ||
            proxy->out.length - proxy->out_at > OUT_MAX)
            return false;
        done += MUX_HEADER + message.length;
    }
    strbuf_drop(&proxy->in, done);
    return true;
}

void proxy_take(struct proxy *proxy, const char *bytes, size_t length)
{
    const unsigned long long max =
        2 * (unsigned long long)proxy->context.rules->max_bytes + MAX_EXTRA;

    if (proxy->broken)
        return;
    strbuf_add(&proxy->in, bytes, length);
    proxy->taken += length;
    proxy->spent += length;
    if (!take_messages(proxy))
        break_off(proxy, "the relay in the container has sent what it must not, so all connections "
                         "were ended");
    else if (proxy->spent > max)
        break_off(proxy, "the program has made too many connections, or sent too much that was "
                         "refused, so all connections were ended");
    else
        set_timer(proxy);
}

size_t proxy_taken(struct proxy *proxy)
{
    const size_t taken = proxy->broken ? 0 : proxy->taken;

    proxy->taken = 0;
    return taken;
}

/* ---- to the relay */

/* Connections that had no room for what hosts send have some again. */
static void read_again(struct proxy *proxy)
{
    for (size_t i = 0; i < MUX_SLOTS_MAX; i++)
        if (proxy->connections[i])
            connection_rearm(proxy->connections[i]);
}

size_t proxy_give(struct proxy *proxy, char *bytes, size_t size)
{
    const size_t left = proxy->out.length - proxy->out_at;
    const size_t length = left < size ? left : size;
    const bool was_full = proxy->out.length >= CONNECTION_OUT_MAX;

    if (length > 0)
        memcpy(bytes, proxy->out.data + proxy->out_at, length);
    proxy->out_at += length;
    if (proxy->out_at < proxy->out.length / 2)
        return length;
    strbuf_drop(&proxy->out, proxy->out_at);
    proxy->out_at = 0;
    if (was_full && proxy->out.length < CONNECTION_OUT_MAX)
        read_again(proxy);
    return length;
}

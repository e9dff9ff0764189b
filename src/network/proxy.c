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

/* The tag of the timer in epoll: no slot. */
enum { TIMER = MUX_SLOTS_MAX, EVENTS_MAX = 64 };

/*
 * A relay opens a slot again only after CLOSE from both sides. So less than this is kept for it:
 * what hosts may send, and in each slot a short text and a few messages.
 */
enum { OUT_MAX = 4 * CONNECTION_OUT_MAX };

struct proxy {
    struct connection_context context;
    int timer;                                     /* owned, as is context.epoll */
    struct strbuf in;                              /* the start of a message */
    struct strbuf out;                             /* messages for the relay */
    size_t out_at;                                 /* of which these bytes were given */
    bool broken;                                   /* nothing more is taken */
    struct connection *connections[MUX_SLOTS_MAX]; /* owned; by slot */
};

struct proxy *proxy_new(const struct network_rules *rules, struct network_log *log,
                        const struct docker *docker, struct error *error)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = TIMER};
    struct proxy *proxy = memory_allocate(sizeof *proxy);

    *proxy = (struct proxy){
        .context = {.rules = rules,
                    .log = log,
                    .docker = docker,
                    .epoll = epoll_create1(EPOLL_CLOEXEC)},
        .timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC),
    };
    proxy->context.out = &proxy->out;
    if (proxy->context.epoll >= 0 && proxy->timer >= 0 &&
        epoll_ctl(proxy->context.epoll, EPOLL_CTL_ADD, proxy->timer, &event) == 0)
        return proxy;
    error_set_errno(error, ERROR_SYSTEM, "cannot wait for connections");
    proxy_free(proxy);
    return NULL;
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
    end_connections(proxy);
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
        const long long deadline =
            proxy->connections[i] ? connection_deadline(proxy->connections[i]) : 0;

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
        const long long deadline =
            proxy->connections[i] ? connection_deadline(proxy->connections[i]) : 0;

        if (deadline != 0 && deadline <= now)
            connection_serve(proxy->connections[i]);
    }
}

void proxy_serve(struct proxy *proxy)
{
    struct epoll_event events[EVENTS_MAX];
    const int count = epoll_wait(proxy->context.epoll, events, EVENTS_MAX, 0);

    for (int i = 0; i < count; i++)
        if (events[i].data.u64 == TIMER)
            serve_late(proxy);
        else if (proxy->connections[events[i].data.u64])
            connection_serve(proxy->connections[events[i].data.u64]);
    set_timer(proxy);
}

/* ---- what the relay says */

static bool begin_connection(struct proxy *proxy, unsigned slot)
{
    if (proxy->connections[slot] || slot >= (unsigned)proxy->context.rules->max_connections)
        return false;
    proxy->connections[slot] = connection_new(&proxy->context, slot);
    return true;
}

static bool end_connection(struct proxy *proxy, unsigned slot)
{
    connection_close(proxy->connections[slot]);
    connection_free(proxy->connections[slot]);
    proxy->connections[slot] = NULL;
    return true;
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
        connection_serve(connection);
    return good;
}

/* False: the relay must not say this. */
static bool take_message(struct proxy *proxy, const struct mux_message *message,
                         const char *payload)
{
    switch (message->type) {
    case MUX_LISTENS:
        return message->length == 0;
    case MUX_FAILED:
        if (message->length != 4)
            return false;
        note_failure(proxy, mux_read_number((const unsigned char *)payload));
        return true;
    case MUX_OPEN:
        return message->length == 0 && begin_connection(proxy, message->slot);
    case MUX_CLOSE:
        return message->length == 0 && proxy->connections[message->slot] &&
               end_connection(proxy, message->slot);
    default:
        return proxy->connections[message->slot] &&
               take_of_connection(proxy->connections[message->slot], message, payload);
    }
}

static void break_off(struct proxy *proxy)
{
    network_log_add(proxy->context.log, "", 0, NETWORK_FAILED,
                    "the relay in the container has sent what it must not: all connections ended");
    proxy->broken = true;
    end_connections(proxy);
    strbuf_release(&proxy->in);
    strbuf_release(&proxy->out);
    proxy->out_at = 0;
}

void proxy_take(struct proxy *proxy, const char *bytes, size_t length)
{
    size_t done = 0;

    if (proxy->broken)
        return;
    strbuf_add(&proxy->in, bytes, length);
    while (proxy->in.length - done >= MUX_HEADER) {
        const char *header = proxy->in.data + done;
        struct mux_message message;

        if (!mux_read((const unsigned char *)header, &message)) {
            break_off(proxy);
            return;
        }
        if (proxy->in.length - done - MUX_HEADER < message.length)
            break;
        if (!take_message(proxy, &message, header + MUX_HEADER) ||
            proxy->out.length - proxy->out_at > OUT_MAX) {
            break_off(proxy);
            return;
        }
        done += MUX_HEADER + message.length;
    }
    strbuf_drop(&proxy->in, done);
    set_timer(proxy);
}

/* ---- to the relay */

/* Connections that had no room for what hosts send have some again. */
static void read_again(struct proxy *proxy)
{
    for (size_t i = 0; i < MUX_SLOTS_MAX; i++)
        if (proxy->connections[i])
            connection_wait(proxy->connections[i]);
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

#define _GNU_SOURCE
#include "tls/bridge.h"

#include <stdlib.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "base/memory.h"
#include "tls/bridge_state.h"

struct bridge *bridge_new(const struct bridge_context *context, unsigned slot,
                          struct link_order *order)
{
    struct bridge *bridge = memory_allocate(sizeof *bridge);
    const char *host = order->tunnel.host;

    *bridge = (struct bridge){.context = context,
                              .slot = slot,
                              .order = order,
                              .program = {.fd = order->program},
                              .host = {.fd = order->host},
                              .program_deadline = clock_now_ms() + context->program_ms,
                              .host_deadline = clock_now_ms() + context->host_ms};
    order->program = order->host = -1;
    bridge->program.ssl =
        contexts_new_program(context->contexts, bridge->program.fd, host, &bridge->wants_other);
    bridge->host.ssl = contexts_new_host(context->contexts, bridge->host.fd, host);
    return bridge;
}

void bridge_free(struct bridge *bridge)
{
    if (!bridge)
        return;
    bridge_close(bridge);
    link_order_free(bridge->order);
    free(bridge);
}

bool bridge_is_closed(const struct bridge *bridge)
{
    return bridge->state == BRIDGE_CLOSED;
}

/* ---- deadlines */

long long bridge_deadline(const struct bridge *bridge)
{
    const long long program = bridge->program_deadline, host = bridge->host_deadline;

    if (bridge->is_busy)
        return 1; /* long ago */
    return program != 0 && (host == 0 || program < host) ? program : host;
}

static bool is_over(long long deadline)
{
    return deadline != 0 && clock_now_ms() >= deadline;
}

static void check_deadlines(struct bridge *bridge)
{
    const struct http_tunnel *tunnel = &bridge->order->tunnel;

    if (bridge->state == BRIDGE_BEGINNING && is_over(bridge->host_deadline)) {
        bridge_give_up(bridge, 504,
                       string_format("cannot speak TLS with '%s' port %u: no answer within %d s",
                                     tunnel->host, tunnel->port, bridge->context->host_ms / 1000));
    } else if (is_over(bridge->program_deadline)) {
        if (bridge->state != BRIDGE_BEGINNING) {
            bridge_close(bridge);
            return;
        }
        bridge->program.is_broken = !bridge->program.is_ready;
        bridge->program_deadline = 0;
        bridge_give_up(bridge, 400,
                       string_format("no complete request to '%s' was sent within %d s",
                                     tunnel->host, bridge->context->program_ms / 1000));
    }
}

/* ---- what it waits for */

/* A socket of which nothing is wanted is taken out: its end would be told over and over. */
static void watch(struct bridge *bridge, struct side *side, unsigned number)
{
    struct epoll_event event = {.events = side->wanted, .data.u64 = number};
    const int operation = side->wanted == 0    ? EPOLL_CTL_DEL
                          : side->watched == 0 ? EPOLL_CTL_ADD
                                               : EPOLL_CTL_MOD;

    if (side->fd < 0 || side->wanted == side->watched)
        return;
    if (epoll_ctl(bridge->context->epoll, operation, side->fd, &event) != 0)
        abort(); /* there is no memory */
    side->watched = side->wanted;
}

/* The steps that cannot go on say what they wait for. */
static void go_on(struct bridge *bridge)
{
    bridge->program.wanted = bridge->host.wanted = 0;
    bridge->is_busy = false;
    if (bridge->state == BRIDGE_BEGINNING ||
        (bridge->state == BRIDGE_REPLYING && !bridge->program.is_ready))
        bridge_begin(bridge);
    if (bridge->state == BRIDGE_OPEN || bridge->state == BRIDGE_REPLYING)
        bridge_pass(bridge);
    if (bridge->state == BRIDGE_ENDING)
        bridge_drain(bridge);
}

void bridge_serve(struct bridge *bridge, bool has_gone)
{
    const enum bridge_state before = bridge->state;

    if (has_gone && bridge->state == BRIDGE_OPEN)
        bridge_close(bridge); /* the program cannot get the response */
    else
        go_on(bridge);
    check_deadlines(bridge);
    if (bridge->state != before) /* what was given up here goes on here */
        bridge->is_busy = bridge->state != BRIDGE_CLOSED;
    if (bridge->state == BRIDGE_OPEN)
        bridge->program.wanted |= EPOLLHUP; /* also while nothing can be passed on */
    watch(bridge, &bridge->program, bridge->slot * 2);
    watch(bridge, &bridge->host, bridge->slot * 2 + 1);
}

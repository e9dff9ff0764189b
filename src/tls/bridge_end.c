#define _GNU_SOURCE
#include <errno.h>
#include <openssl/crypto.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "network/http_reply.h"
#include "tls/bridge_state.h"

/* How often bytes of a program are dropped before it is another connection's turn. */
enum { DROPS_MAX = 16 };

void bridge_wipe(struct bridge *bridge)
{
    const struct http_tunnel none = {.host = bridge->order->tunnel.host,
                                     .port = bridge->order->tunnel.port};
    const size_t host_length = strlen(none.host) + 1;

    OPENSSL_cleanse(bridge->order->text + host_length, bridge->order->text_length - host_length);
    bridge->order->tunnel = none;
    if (bridge->head.data)
        OPENSSL_cleanse(bridge->head.data, bridge->head.capacity);
    strbuf_release(&bridge->head);
}

void bridge_close(struct bridge *bridge)
{
    bridge_wipe(bridge);
    side_release(&bridge->program);
    side_release(&bridge->host);
    strbuf_release(&bridge->incoming);
    strbuf_release(&bridge->from_program);
    strbuf_release(&bridge->to_program);
    bridge->program_deadline = bridge->host_deadline = 0;
    bridge->state = BRIDGE_CLOSED;
}

void bridge_end(struct bridge *bridge)
{
    shutdown(bridge->program.fd, SHUT_WR);
    if (bridge->host.ssl && bridge->host.is_ready && !bridge->host.is_broken)
        side_end(&bridge->host);
    side_release(&bridge->host);
    bridge->host_deadline = 0;
    bridge->program_deadline = clock_now_ms() + bridge->context->end_ms;
    bridge->program.wanted = 0;
    bridge->state = BRIDGE_ENDING;
}

void bridge_drain(struct bridge *bridge)
{
    char bytes[BRIDGE_READ_MAX];
    ssize_t length = 1;

    for (int i = 0; i < DROPS_MAX && length > 0; i++)
        length = recv(bridge->program.fd, bytes, sizeof bytes, MSG_DONTWAIT);
    if (length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR))
        bridge_close(bridge);
    else
        bridge->program.wanted = EPOLLIN;
}

void bridge_give_up(struct bridge *bridge, int status, char *reason)
{
    CLEANUP_FREE char *why = reason;
    CLEANUP_FREE char *reply = http_reply(status, why);

    if (!bridge->has_given_up)
        link_send_given_up(bridge->context->link, bridge->order, status, why);
    bridge->has_given_up = true;
    bridge_wipe(bridge);
    side_release(&bridge->host);
    bridge->host_deadline = 0;
    if (bridge->program.is_broken || bridge->has_response || bridge->state == BRIDGE_REPLYING) {
        bridge_end(bridge);
        return;
    }
    if (bridge->program_deadline == 0)
        bridge->program_deadline = clock_now_ms() + bridge->context->program_ms;
    strbuf_release(&bridge->from_program);
    strbuf_addstr(&bridge->to_program, reply);
    bridge->host_ended = true;
    bridge->state = BRIDGE_REPLYING;
}

#define _GNU_SOURCE
#include <string.h>

#include "tls/bridge_state.h"

/* How much is passed on in each direction before it is another connection's turn. */
enum { CALL_QUESTIONS_MAX = 8 };

/* ---- from the program to the host */

bool bridge_take_body(struct bridge *bridge, const char *bytes, size_t length)
{
    const long taken = http_body_take(&bridge->body, bytes, length);

    if (taken < 0) {
        bridge_give_up(
            bridge, 400,
            string_format("the body of a request to '%s' is not valid: it must be chunks of HTTP, "
                          "without fields after them",
                          bridge->order->tunnel.host));
        return false;
    }
    if (!bridge->host_is_deaf)
        strbuf_add(&bridge->from_program, bytes, (size_t)taken);
    return true;
}

/* Reads on after the body too, to see the program end. */
static bool read_program(struct bridge *bridge)
{
    char bytes[BRIDGE_READ_MAX];
    size_t length;

    switch (side_read(&bridge->program, bytes, sizeof bytes, &length)) {
    case SIDE_DONE:
        return bridge_take_body(bridge, bytes, length);
    case SIDE_BLOCKED:
        return false;
    case SIDE_BROKEN:
    case SIDE_FLOODED:
        bridge_close(bridge);
        return false;
    default:
        bridge->program_ended = true;
        if (!bridge->body.ended)
            bridge_close(bridge);
        return false;
    }
}

/* The host takes no more: the rest of the request is dropped. */
static void drop_request(struct bridge *bridge)
{
    bridge->host_is_deaf = true;
    bridge_wipe(bridge);
    strbuf_release(&bridge->from_program);
}

/* Sends the start of a buffer. True: there is progress. */
static bool send_to_host(struct bridge *bridge, struct strbuf *buffer)
{
    size_t length = 0;

    switch (side_write(&bridge->host, buffer->data, buffer->length, &length)) {
    case SIDE_DONE:
        strbuf_drop(buffer, length);
        return true;
    case SIDE_BLOCKED:
        return false;
    default: /* it may have sent a response nevertheless, such as 413 */
        bridge->host.is_broken = false;
        drop_request(bridge);
        return true;
    }
}

static bool pass_to_host(struct bridge *bridge)
{
    bool progress;

    if (bridge->head.length > 0) {
        progress = send_to_host(bridge, &bridge->head);
        if (bridge->head.length == 0)
            bridge_wipe(bridge);
        return progress;
    }
    if (bridge->from_program.length > 0)
        return send_to_host(bridge, &bridge->from_program);
    return !bridge->program_ended && read_program(bridge);
}

/* ---- from the host to the program */

static bool read_host(struct bridge *bridge)
{
    char bytes[BRIDGE_READ_MAX];
    size_t length;

    switch (side_read(&bridge->host, bytes, sizeof bytes, &length)) {
    case SIDE_DONE:
        bridge->has_response = true;
        http_response_pass(&bridge->response, bytes, length, &bridge->to_program);
        return true;
    case SIDE_BLOCKED:
        return false;
    case SIDE_FLOODED:
        bridge_give_up(bridge, 502,
                       string_format("'%s' port %u sends messages of TLS without data",
                                     bridge->order->tunnel.host, bridge->order->tunnel.port));
        return false;
    case SIDE_BROKEN:
        bridge->is_cut = true;
        break;
    default:
        break;
    }
    bridge->host_ended = true;
    drop_request(bridge);
    return true;
}

/* The end of a response that is complete is said in TLS; one that is cut must not look so. */
static bool end_response(struct bridge *bridge)
{
    if (!bridge->is_cut && side_end(&bridge->program) == SIDE_BLOCKED)
        return false;
    bridge_end(bridge);
    return false;
}

static bool pass_to_program(struct bridge *bridge)
{
    size_t length = 0;

    if (bridge->to_program.length == 0)
        return bridge->host_ended ? end_response(bridge) : read_host(bridge);
    switch (
        side_write(&bridge->program, bridge->to_program.data, bridge->to_program.length, &length)) {
    case SIDE_DONE:
        strbuf_drop(&bridge->to_program, length);
        return true;
    case SIDE_BLOCKED:
        return false;
    default:
        bridge_close(bridge);
        return false;
    }
}

static bool is_passing(const struct bridge *bridge)
{
    return bridge->state == BRIDGE_OPEN ||
           (bridge->state == BRIDGE_REPLYING && bridge->program.is_ready);
}

/* What the host has sent comes first: that it has closed the connection comes after that. */
void bridge_pass(struct bridge *bridge)
{
    for (int i = 0; i < CALL_QUESTIONS_MAX; i++) {
        bool progress = false;

        if (is_passing(bridge))
            progress = pass_to_program(bridge);
        if (bridge->state == BRIDGE_OPEN)
            progress |= pass_to_host(bridge);
        if (!progress || !is_passing(bridge))
            return;
    }
    bridge->is_busy = true;
}

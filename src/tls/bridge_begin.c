#include <openssl/err.h>
#include <openssl/x509_vfy.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "tls/bridge_state.h"

/* ---- what goes wrong */

/* Whether the alert says that the program refuses the certificate (RFC 8446, 6.2). */
static bool is_distrust(int reason)
{
    return reason == SSL_R_TLSV1_ALERT_UNKNOWN_CA || reason == SSL_R_SSLV3_ALERT_BAD_CERTIFICATE ||
           reason == SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN ||
           reason == SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE ||
           reason == SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED ||
           reason == SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED;
}

/* The program cannot be told anything. */
static void give_up_program(struct bridge *bridge)
{
    const char *host = bridge->order->tunnel.host;
    int reason;
    const char *problem = side_problem(&reason);

    bridge->program.is_broken = true;
    if (bridge->wants_other)
        bridge_give_up(bridge, 403,
                       string_copy("the program wants another protocol than HTTP/1.1"));
    else if (is_distrust(reason))
        bridge_give_up(bridge, 502,
                       string_format("the program does not accept the certificate of isolator for "
                                     "'%s': %s; it has to use the certificates in SSL_CERT_FILE",
                                     host, problem));
    else
        bridge_give_up(
            bridge, 400,
            string_format("TLS between the program and isolator, for '%s', has failed: %s", host,
                          problem));
}

static void give_up_host(struct bridge *bridge)
{
    const struct http_tunnel *tunnel = &bridge->order->tunnel;
    const long verified = SSL_get_verify_result(bridge->host.ssl);
    int reason;
    const char *problem = side_problem(&reason);

    if (verified != X509_V_OK)
        bridge_give_up(bridge, 502,
                       string_format("the certificate of '%s' is not valid: %s", tunnel->host,
                                     X509_verify_cert_error_string(verified)));
    else
        bridge_give_up(bridge, 502,
                       string_format("cannot speak TLS with '%s' port %u: %s", tunnel->host,
                                     tunnel->port, problem));
}

/* ---- the steps */

/* How often bytes of the head are read before it is another connection's turn. */
enum { CALL_QUESTIONS_MAX = 8 };

static void shake_program(struct bridge *bridge)
{
    const enum side_result result = side_shake_hands(&bridge->program);

    if (result == SIDE_ENDED || result == SIDE_BROKEN)
        give_up_program(bridge);
}

static void shake_host(struct bridge *bridge)
{
    const struct http_tunnel *tunnel = &bridge->order->tunnel;
    const enum side_result result = side_shake_hands(&bridge->host);

    if (result == SIDE_BLOCKED)
        return;
    if (result != SIDE_DONE)
        give_up_host(bridge);
    else if (!contexts_is_http(bridge->host.ssl))
        bridge_give_up(bridge, 502,
                       string_format("'%s' port %u speaks another protocol than HTTP/1.1",
                                     tunnel->host, tunnel->port));
    else
        bridge->host_deadline = 0;
}

/*
 * Makes room for the whole head at once: a buffer that grows would leave copies of the fields of
 * isolator in freed memory.
 */
static void make_room(struct bridge *bridge)
{
    const size_t room =
        bridge->incoming.length + bridge->order->text_length + HOST_NAME_SIZE + 1024;

    bridge->head = (struct strbuf){.data = memory_allocate(room), .capacity = room};
    bridge->head.data[0] = '\0';
}

/* Sets `has_request` if the head is complete and good. */
static void judge_head(struct bridge *bridge)
{
    const struct http_tunnel *tunnel = &bridge->order->tunnel;
    enum http_result result;

    make_room(bridge);
    result = http_request_read_in_tunnel(bridge->incoming.data, bridge->incoming.length, tunnel,
                                         &bridge->request, &bridge->head);
    if (result == HTTP_REFUSED) {
        bridge_give_up(bridge, bridge->request.status,
                       string_format("a request to '%s' is not valid: %s", tunnel->host,
                                     bridge->request.problem));
        return;
    }
    bridge->has_request = result == HTTP_GOOD;
    if (bridge->has_request)
        bridge->program_deadline = 0;
    else
        strbuf_release(&bridge->head);
}

/*
 * Takes bytes of the head. It is read from its start only if they can complete it or show that it
 * is none: a program may send it byte by byte.
 */
static void take_head(struct bridge *bridge, const char *bytes, size_t length)
{
    const bool is_first = bridge->incoming.length == 0;

    strbuf_add(&bridge->incoming, bytes, length);
    if (is_first || memchr(bytes, '\n', length) || bridge->incoming.length >= HTTP_HEAD_MAX)
        judge_head(bridge);
}

/* Reads what the program sends. After the head, nothing until the host is ready. */
static void read_head(struct bridge *bridge)
{
    char bytes[BRIDGE_READ_MAX];
    size_t length;

    for (int i = 0; bridge->state == BRIDGE_BEGINNING && !bridge->has_request; i++) {
        if (i == CALL_QUESTIONS_MAX) {
            bridge->is_busy = true;
            return;
        }
        switch (side_read(&bridge->program, bytes, sizeof bytes, &length)) {
        case SIDE_DONE:
            take_head(bridge, bytes, length);
            break;
        case SIDE_BLOCKED:
            return;
        case SIDE_FLOODED:
            bridge_give_up(bridge, 400,
                           string_format("the program sends messages of TLS without data to '%s'",
                                         bridge->order->tunnel.host));
            return;
        default:
            bridge->program.is_broken = true;
            bridge_give_up(bridge, 400,
                           string_format("the program has ended a connection to '%s' before its "
                                         "request was complete",
                                         bridge->order->tunnel.host));
        }
    }
}

static void open_bridge(struct bridge *bridge)
{
    const size_t head_length = bridge->request.head_length;

    http_body_begin(&bridge->body, &bridge->request);
    if (!bridge_take_body(bridge, bridge->incoming.data + head_length,
                          bridge->incoming.length - head_length))
        return;
    strbuf_release(&bridge->incoming);
    bridge->state = BRIDGE_OPEN;
}

void bridge_begin(struct bridge *bridge)
{
    if (!bridge->program.is_ready)
        shake_program(bridge);
    if (bridge->state == BRIDGE_BEGINNING && !bridge->host.is_ready)
        shake_host(bridge);
    if (bridge->state == BRIDGE_BEGINNING && bridge->program.is_ready)
        read_head(bridge);
    if (bridge->state == BRIDGE_BEGINNING && bridge->has_request && bridge->host.is_ready)
        open_bridge(bridge);
}

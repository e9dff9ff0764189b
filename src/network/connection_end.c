#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "network/connection_state.h"
#include "network/http_reply.h"

void connection_end_lookup(struct connection *connection)
{
    if (!connection->lookup)
        return;
    epoll_ctl(connection->context->epoll, EPOLL_CTL_DEL, lookup_fd(connection->lookup), NULL);
    lookup_forget(connection->lookup);
    connection->lookup = NULL;
}

void connection_end_host(struct connection *connection)
{
    connection_end_lookup(connection);
    dial_release(&connection->dial);
    if (connection->fd >= 0)
        close(connection->fd); /* which takes it out of epoll */
    connection->fd = -1;
    connection->watched = 0;
    strbuf_release(&connection->from_program);
    strbuf_release(&connection->head);
    connection->state = CONNECTION_CLOSED;
    connection->deadline = 0;
}

/* ---- to the relay */

void connection_send(struct connection *connection, enum mux_type type, const void *payload,
                     size_t length)
{
    mux_link_send(connection->context->link, connection->slot, type, payload, length);
}

void connection_close(struct connection *connection)
{
    connection_end_host(connection);
    if (!connection->sent_close)
        connection_send(connection, MUX_CLOSE, NULL, 0);
    connection->sent_close = true;
}

void connection_reply(struct connection *connection, const void *bytes, size_t length)
{
    if (length > connection->credit)
        return;
    connection_send(connection, MUX_DATA, bytes, length);
    connection->credit -= (uint32_t)length;
}

void connection_consume(struct connection *connection, size_t length)
{
    unsigned char number[4];

    strbuf_drop(&connection->from_program, length);
    connection->consumed += (uint32_t)length;
    if (connection->consumed < MUX_WINDOW / 2)
        return;
    mux_write_number(number, connection->consumed);
    connection_send(connection, MUX_CREDIT, number, sizeof number);
    connection->granted += connection->consumed;
    connection->consumed = 0;
}

/* ---- what goes wrong */

int connection_log(const struct connection_context *context, const char *host, unsigned port,
                   enum network_outcome outcome, const char *reason, long long start)
{
    static const char *const steps[] = {
        [NETWORK_CONNECTED] = "connect",
        [NETWORK_REFUSED] = "refuse",
        [NETWORK_FAILED] = "fail",
    };
    CLEANUP_FREE char *step = host[0] == '\0'
                                  ? string_copy(steps[outcome])
                                  : string_format(strchr(host, ':') ? "%s [%s]:%u" : "%s %s:%u",
                                                  steps[outcome], host, port);

    docker_traced(context->docker, step, start);
    return network_log_add(context->log, host, port, outcome, reason);
}

int connection_note(const struct connection *connection, enum network_outcome outcome,
                    const char *reason)
{
    return connection_log(connection->context, connection->request.host, connection->request.port,
                          outcome, reason, connection->start);
}

static void reply_status(struct connection *connection, int status, const char *why)
{
    CLEANUP_FREE char *text = http_reply(status, why);

    connection_reply(connection, text, strlen(text));
}

static void reply_socks(struct connection *connection, int status)
{
    unsigned char reply[SOCKS_REPLY_SIZE];

    socks_write_reply(reply, status == 403                    ? SOCKS_NOT_ALLOWED
                             : status == 502 || status == 504 ? SOCKS_HOST_UNREACHABLE
                             : status == 501                  ? SOCKS_NO_COMMAND
                                                              : SOCKS_FAILURE);
    connection_reply(connection, reply, sizeof reply);
}

void connection_give_up(struct connection *connection, int status, char *reason)
{
    CLEANUP_FREE char *why = reason;

    connection_note(connection, status == 403 ? NETWORK_REFUSED : NETWORK_FAILED, why);
    if (connection->state < CONNECTION_HELLO && connection->is_socks)
        reply_socks(connection, status);
    else if (connection->state < CONNECTION_HELLO) /* a tunnel carries nothing of ours */
        reply_status(connection, status, why);
    connection_close(connection);
}

bool connection_has_budget(const struct connection *connection)
{
    return connection->context->log->bytes <
           (unsigned long long)connection->context->rules->max_bytes;
}

void connection_give_up_budget(struct connection *connection)
{
    connection_give_up(
        connection, 403,
        string_format("the connections have carried %lld bytes, which is the limit (maxBytes)",
                      connection->context->rules->max_bytes));
}

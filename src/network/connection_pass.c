#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "base/cleanup.h"
#include "network/connection_state.h"

/* How many messages are read from a host before it is another connection's turn. */
enum { READS_MAX = 8 };

/* How many bytes may be passed on before the request has used up what it has. */
static size_t within_budget(const struct connection *connection, size_t length)
{
    const unsigned long long used = connection->context->log->bytes;
    const unsigned long long max = (unsigned long long)connection->context->rules->max_bytes;

    return used >= max ? 0 : length < max - used ? length : (size_t)(max - used);
}

/* The host has ended the connection by force. */
static void close_if_broken(struct connection *connection)
{
    if (errno != EAGAIN && errno != EINTR)
        connection_close(connection);
}

/* Sends bytes to the host. Returns how many; 0: it takes none now, or the connection is over. */
static size_t send_to_host(struct connection *connection, const char *bytes, size_t length)
{
    const ssize_t sent =
        send(connection->fd, bytes, within_budget(connection, length), MSG_NOSIGNAL);

    if (sent > 0) {
        network_log_count(connection->context->log, connection->entry, (size_t)sent, 0);
        return (size_t)sent;
    }
    connection->is_blocked = true;
    if (sent < 0)
        close_if_broken(connection);
    return 0;
}

/* How many of the bytes of the program are for the host. The rest of a request is dropped. */
static size_t for_host(struct connection *connection)
{
    struct http_body_reader body = connection->body;
    const size_t length = connection->from_program.length;
    const long part = connection->request.is_tunnel
                          ? (long)length
                          : http_body_take(&body, strbuf_string(&connection->from_program), length);

    if (part < 0)
        connection_give_up(connection, 400,
                           string_copy("the body of a request to the proxy is not valid"));
    return part < 0 ? 0 : (size_t)part;
}

/* The program sends no more. The end of a request is known without that. */
static void take_program_end(struct connection *connection)
{
    if (connection->request.is_tunnel)
        shutdown(connection->fd, SHUT_WR);
    else if (!connection->body.ended)
        connection_close(connection);
}

static void pass_to_host(struct connection *connection)
{
    size_t part, sent;

    while (connection->head.length > 0 && !connection->is_blocked) {
        sent = send_to_host(connection, connection->head.data, connection->head.length);
        if (connection->state == CONNECTION_OPEN)
            strbuf_drop(&connection->head, sent);
    }
    while (connection->state == CONNECTION_OPEN && !connection->is_blocked &&
           connection->from_program.length > 0) {
        part = for_host(connection);
        if (connection->state != CONNECTION_OPEN)
            return;
        if (part == 0) { /* it follows the request */
            connection_consume(connection, connection->from_program.length);
            break;
        }
        sent = send_to_host(connection, connection->from_program.data, part);
        if (connection->state != CONNECTION_OPEN || sent == 0)
            return;
        if (!connection->request.is_tunnel)
            http_body_take(&connection->body, connection->from_program.data, sent);
        connection_consume(connection, sent);
    }
}

/* How many bytes the program takes, without those that may be added. A program that has granted no
 * more than these when a response begins gets it as it is. */
static size_t granted_by_program(struct connection *connection)
{
    struct http_response *response = &connection->response;

    if (connection->request.is_tunnel || connection->credit <= HTTP_RESPONSE_ADDED)
        response->is_passed = true;
    return connection->credit - (response->is_passed ? 0 : HTTP_RESPONSE_ADDED);
}

static void send_to_program(struct connection *connection, const char *bytes, size_t length)
{
    CLEANUP(strbuf_release) struct strbuf passed = STRBUF_INIT;

    if (!connection->response.is_passed) {
        http_response_pass(&connection->response, bytes, length, &passed);
        bytes = passed.data;
        length = passed.length;
    }
    connection_send(connection, MUX_DATA, bytes, length);
    connection->credit -= (uint32_t)length;
}

/* Reads bytes of the host. False: there are none, or no room for them. */
static bool pass_to_program(struct connection *connection)
{
    char bytes[MUX_DATA_MAX - HTTP_RESPONSE_ADDED];
    const size_t granted = granted_by_program(connection);
    const size_t max = granted < sizeof bytes ? granted : sizeof bytes;
    const size_t size = within_budget(connection, max);
    ssize_t length;

    if (connection->host_ended || size == 0 || mux_link_is_full(connection->context->link))
        return false;
    length = recv(connection->fd, bytes, size, 0);
    if (length < 0) {
        close_if_broken(connection);
        return false;
    }
    if (length == 0) {
        connection->host_ended = true;
        connection_send(connection, MUX_END, NULL, 0);
        return false;
    }
    send_to_program(connection, bytes, (size_t)length);
    network_log_count(connection->context->log, connection->entry, 0, (size_t)length);
    return true;
}

/* Reads first: that the host has reset the connection comes after what it has sent. */
void connection_pass(struct connection *connection)
{
    for (int i = 0; i < READS_MAX && connection->state == CONNECTION_OPEN; i++)
        if (!pass_to_program(connection))
            break;
    if (connection->state == CONNECTION_OPEN &&
        (connection->head.length > 0 || connection->from_program.length > 0))
        pass_to_host(connection);
    if (connection->state == CONNECTION_OPEN && connection->program_ended &&
        !connection->is_blocked)
        take_program_end(connection);
    if (connection->state != CONNECTION_OPEN)
        return;
    if (!connection_has_budget(connection))
        connection_give_up_budget(connection);
    else if (connection->host_ended && (!connection->request.is_tunnel ||
                                        (connection->program_ended && !connection->is_blocked)))
        connection_close(connection);
}

#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "network/address_rules.h"
#include "network/client_hello.h"
#include "network/connection_state.h"
#include "network/host_rules.h"

/* ---- HEAD */

/* Enters a state that has to be left within so many ms. */
static void enter(struct connection *connection, enum connection_state state, int ms)
{
    connection->state = state;
    connection->deadline = ms > 0 ? clock_now_ms() + ms : 0;
}

/* Refuses a host that the rules do not allow. */
static void refuse_host(struct connection *connection, enum host_verdict verdict)
{
    const struct http_request *request = &connection->request;
    char *reason = NULL;

    switch (verdict) {
    case HOST_NOT_SELECTED:
        reason = string_format("host '%s' with port %u is not in \"hosts\" of the request",
                               request->host, request->port);
        break;
    case HOST_OTHER_PORT:
        reason = string_format("port %u of host '%s' is not on the list of allowed hosts",
                               request->port, request->host);
        break;
    case HOST_NOT_LISTED:
    case HOST_ALLOWED:
        reason = string_format("host '%s' is not on the list of allowed hosts", request->host);
        break;
    }
    connection_give_up(connection, 403, reason);
}

/* Finds the rule for the host and the port. False: there is none, and the connection is over. */
static bool find_rule(struct connection *connection)
{
    const struct http_request *request = &connection->request;
    enum host_verdict verdict;

    connection->rule =
        host_rules_find(connection->context->rules, request->host, request->port, &verdict);
    if (!connection->rule) {
        refuse_host(connection, verdict);
        return false;
    }
    if (request->is_tunnel || !connection->rule->terminate)
        return true;
    connection_give_up(connection, 403,
                       string_format("host '%s' is reached over https alone, since its TLS is "
                                     "terminated",
                                     request->host));
    return false;
}

static void dial_addresses(struct connection *connection, struct ip_address *addresses,
                           size_t count)
{
    char first[IP_ADDRESS_SIZE];
    size_t allowed = 0;

    ip_address_text(&addresses[0], first);
    for (size_t i = 0; i < count; i++)
        if (address_is_allowed(&addresses[i], connection->rule))
            addresses[allowed++] = addresses[i];
    if (allowed == 0) {
        connection_give_up(
            connection, 403,
            string_format(
                "host '%s' has the address %s, which is an address of this machine or not "
                "public, and not in the \"addresses\" of its entry",
                connection->request.host, first));
        return;
    }
    dial_begin(&connection->dial, connection->context->epoll, connection->slot, addresses, allowed,
               connection->request.port);
    enter(connection, CONNECTION_DIAL, CONNECTION_HOST_MS);
}

static void begin_lookup(struct connection *connection)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = connection->slot};
    struct ip_address address;

    if (host_name_is_address(connection->request.host, &address)) {
        dial_addresses(connection, &address, 1);
        return;
    }
    enter(connection, CONNECTION_LOOKUP, CONNECTION_HOST_MS);
    connection->lookup = lookup_start(connection->context->lookups, connection->request.host);
    if (!connection->lookup || epoll_ctl(connection->context->epoll, EPOLL_CTL_ADD,
                                         lookup_fd(connection->lookup), &event) != 0)
        connection_give_up(
            connection, 502,
            string_format("cannot look up '%s': no thread or no memory for the lookup",
                          connection->request.host));
}

/* In these, false: the request is not complete, or the connection is over. */

static bool read_http(struct connection *connection)
{
    struct http_request *request = &connection->request;
    const enum http_result result =
        http_request_read(strbuf_string(&connection->from_program), connection->from_program.length,
                          request, &connection->head);

    if (result == HTTP_REFUSED) {
        request->host[0] = '\0';
        request->port = 0;
        connection_give_up(
            connection, request->status,
            string_format("a request to the proxy is not valid: %s", request->problem));
    }
    if (result != HTTP_GOOD)
        return false;
    connection_consume(connection, request->head_length);
    http_body_begin(&connection->body, request);
    return true;
}

static bool read_socks_greeting(struct connection *connection)
{
    unsigned char reply[] = {SOCKS_VERSION, SOCKS_NO_PASSWORD};
    size_t taken;

    if (connection->is_socks)
        return true;
    switch (socks_read_greeting(connection->from_program.data, connection->from_program.length,
                                &taken)) {
    case SOCKS_INCOMPLETE:
        return false;
    case SOCKS_REFUSED:
        reply[1] = SOCKS_NO_METHOD;
        connection_note(connection, NETWORK_FAILED,
                        "a request to the proxy is not valid: it wants a password");
        connection_reply(connection, reply, sizeof reply);
        connection_close(connection);
        return false;
    case SOCKS_GOOD:
        break;
    }
    connection_reply(connection, reply, sizeof reply);
    connection_consume(connection, taken);
    connection->is_socks = true;
    return true;
}

static bool read_socks(struct connection *connection)
{
    struct socks_request socks;
    enum socks_result result;

    if (!read_socks_greeting(connection))
        return false;
    result =
        socks_read_request(connection->from_program.data, connection->from_program.length, &socks);
    if (result == SOCKS_REFUSED)
        connection_give_up(connection, socks.status,
                           string_format("a request to the proxy is not valid: %s", socks.problem));
    if (result != SOCKS_GOOD)
        return false;
    connection_consume(connection, socks.length);
    memcpy(connection->request.host, socks.host, sizeof socks.host);
    connection->request.port = socks.port;
    connection->request.is_tunnel = true;
    return true;
}

static void read_head(struct connection *connection)
{
    const struct strbuf *bytes = &connection->from_program;
    const bool is_socks = connection->is_socks ||
                          (bytes->length > 0 && (unsigned char)bytes->data[0] == SOCKS_VERSION);

    if (is_socks ? read_socks(connection) : read_http(connection)) {
        if (!connection_has_budget(connection))
            connection_give_up_budget(connection);
        else if (find_rule(connection))
            begin_lookup(connection);
    } else if (connection->state == CONNECTION_HEAD && connection->program_ended) {
        if (bytes->length == 0)
            connection_close(connection); /* it has asked for nothing */
        else
            connection_give_up(connection, 400,
                               string_copy("a request to the proxy is not complete"));
    }
}

/* ---- LOOKUP, DIAL */

static void finish_lookup(struct connection *connection)
{
    struct ip_address addresses[LOOKUP_ADDRESSES_MAX];
    const char *problem = NULL;
    size_t count;

    if (!lookup_is_done(connection->lookup))
        return;
    count = lookup_take(connection->lookup, addresses, &problem);
    connection_end_lookup(connection);
    if (count == 0)
        connection_give_up(
            connection, 502,
            string_format("cannot look up '%s': %s", connection->request.host, problem));
    else
        dial_addresses(connection, addresses, count);
}

static void reply_connected(struct connection *connection)
{
    static const char established[] = "HTTP/1.1 200 Connection established\r\n\r\n";
    unsigned char granted[SOCKS_REPLY_SIZE];

    socks_write_reply(granted, SOCKS_GRANTED);
    if (connection->is_socks)
        connection_reply(connection, granted, sizeof granted);
    else
        connection_reply(connection, established, strlen(established));
}

static void finish_dial(struct connection *connection)
{
    const struct http_request *request = &connection->request;
    const int fd = dial_check(&connection->dial);

    if (fd == -1)
        return;
    if (fd < 0) {
        connection_give_up(connection, 502,
                           string_format("cannot connect to '%s' port %u: %s", request->host,
                                         request->port, strerror(connection->dial.error)));
        return;
    }
    connection->fd = fd;
    if (!request->is_tunnel || connection->rule->raw)
        connection->entry = connection_note(connection, NETWORK_CONNECTED, NULL);
    if (request->is_tunnel)
        reply_connected(connection);
    if (request->is_tunnel && !connection->rule->raw)
        enter(connection, CONNECTION_HELLO, CONNECTION_PROGRAM_MS);
    else
        enter(connection, CONNECTION_OPEN, 0);
}

/* ---- HELLO */

/* Gives the connection to the terminator. False: not yet, or the connection is over. */
static bool hand_over(struct connection *connection)
{
    const struct http_request *request = &connection->request;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const int fd = terminator_open(connection->context->terminator, connection->rule, request->host,
                                   request->port, connection->fd, &error);

    connection->retry_at = fd == TERMINATOR_BUSY ? clock_now_ms() + CONNECTION_RETRY_MS : 0;
    if (fd == TERMINATOR_BUSY)
        return false;
    if (fd < 0) {
        connection_give_up(connection, 502, string_copy(error.message));
        return false;
    }
    close(connection->fd);
    connection->fd = fd;
    return true;
}

/*
 * The ClientHello is good, and goes to the host as it is: to the host itself, or to the terminator,
 * which answers in its place.
 */
static void open_tunnel(struct connection *connection)
{
    if (connection->rule->terminate && !hand_over(connection))
        return;
    connection->entry = connection_note(connection, NETWORK_CONNECTED, NULL);
    enter(connection, CONNECTION_OPEN, 0);
}

static void read_hello(struct connection *connection)
{
    const struct http_request *request = &connection->request;
    struct ip_address address;
    char name[HOST_NAME_SIZE];
    const enum client_hello hello =
        client_hello_read((const unsigned char *)strbuf_string(&connection->from_program),
                          connection->from_program.length, name);

    if (hello == CLIENT_HELLO_INCOMPLETE && !connection->program_ended)
        return;
    /* clients name no server if they know its address alone (RFC 6066, 3) */
    if ((hello == CLIENT_HELLO_NAMED && strcmp(name, request->host) == 0) ||
        (hello == CLIENT_HELLO_NAMELESS && host_name_is_address(request->host, &address))) {
        open_tunnel(connection);
    } else if (hello == CLIENT_HELLO_NAMED) {
        connection_give_up(
            connection, 403,
            string_format("the tunnel to '%s' carries TLS for '%s'", request->host, name));
    } else if (hello == CLIENT_HELLO_NAMELESS) {
        connection_give_up(
            connection, 403,
            string_format("the tunnel to '%s' carries TLS that names no host", request->host));
    } else if (connection->from_program.length == 0) {
        connection_give_up(connection, 400,
                           string_format("the tunnel to '%s' has carried nothing", request->host));
    } else {
        connection_give_up(
            connection, 403,
            string_format("the tunnel to '%s' carries what is not TLS, and the list does not "
                          "say \"raw\"",
                          request->host));
    }
}

void connection_begin(struct connection *connection)
{
    if (connection->state == CONNECTION_HEAD)
        read_head(connection);
    if (connection->state == CONNECTION_LOOKUP)
        finish_lookup(connection);
    if (connection->state == CONNECTION_DIAL)
        finish_dial(connection);
    if (connection->state == CONNECTION_HELLO)
        read_hello(connection);
}

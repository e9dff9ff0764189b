#include <string.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "network/address_rules.h"
#include "network/client_hello.h"
#include "network/connection_state.h"

/* ---- HEAD */

/* Enters a state that has to be left within so many ms. */
static void enter(struct connection *connection, enum connection_state state, int ms)
{
    connection->state = state;
    connection->deadline = ms > 0 ? clock_now_ms() + ms : 0;
}

/* Finds the rule for the host and the port. False: there is none, and the connection is over. */
static bool find_rule(struct connection *connection)
{
    const struct network_rules *rules = connection->context->rules;
    const struct http_request *request = &connection->request;
    bool is_named = false;

    for (size_t i = 0; i < rules->count; i++) {
        const struct network_host *host = &rules->hosts[i];

        if (!host_name_matches(request->host, host->name))
            continue;
        is_named = true;
        for (size_t j = 0; j < host->port_count; j++)
            if (host->ports[j] == request->port) {
                connection->rule = host;
                return true;
            }
    }
    connection_give_up(
        connection, 403,
        is_named ? string_format("port %u of host '%s' is not on the list of allowed hosts",
                                 request->port, request->host)
                 : string_format("host '%s' is not on the list of allowed hosts", request->host));
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
            string_format("host '%s' has the address %s, which is not public, and no "
                          "\"addresses\" of the list allow it",
                          connection->request.host, first));
        return;
    }
    dial_begin(&connection->dial, connection->context->epoll, connection->slot, addresses, allowed,
               connection->request.port);
    enter(connection, CONNECTION_DIAL, 0);
    connection->deadline = clock_now_ms() + CONNECTION_HOST_MS;
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
    connection->lookup = lookup_start(connection->request.host);
    if (!connection->lookup || epoll_ctl(connection->context->epoll, EPOLL_CTL_ADD,
                                         lookup_fd(connection->lookup), &event) != 0)
        connection_give_up(connection, 502,
                           string_format("cannot look up '%s': too many lookups at once",
                                         connection->request.host));
}

static void read_head(struct connection *connection)
{
    struct http_request *request = &connection->request;

    switch (http_request_read(strbuf_string(&connection->from_program),
                              connection->from_program.length, request, &connection->head)) {
    case HTTP_INCOMPLETE:
        if (connection->program_ended && connection->from_program.length == 0)
            connection_close(connection); /* it has asked for nothing */
        else if (connection->program_ended)
            connection_give_up(connection, 400,
                               string_copy("a request to the proxy is not complete"));
        return;
    case HTTP_REFUSED:
        request->host[0] = '\0';
        request->port = 0;
        connection_give_up(
            connection, request->status,
            string_format("a request to the proxy is not valid: %s", request->problem));
        return;
    case HTTP_GOOD:
        break;
    }
    connection_deal(connection, request->head_length);
    http_body_begin(&connection->body, request);
    if (!connection_has_budget(connection))
        connection_give_up_budget(connection);
    else if (find_rule(connection))
        begin_lookup(connection);
}

/* ---- LOOKUP, DIAL */

static void take_lookup(struct connection *connection)
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

static void take_dial(struct connection *connection)
{
    const struct http_request *request = &connection->request;
    const int fd = dial_look(&connection->dial);

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
        connection_reply(connection, "HTTP/1.1 200 Connection established\r\n\r\n");
    if (request->is_tunnel && !connection->rule->raw)
        enter(connection, CONNECTION_HELLO, CONNECTION_PROGRAM_MS);
    else
        enter(connection, CONNECTION_OPEN, 0);
}

/* ---- HELLO */

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
        connection->entry = connection_note(connection, NETWORK_CONNECTED, NULL);
        enter(connection, CONNECTION_OPEN, 0);
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
        take_lookup(connection);
    if (connection->state == CONNECTION_DIAL)
        take_dial(connection);
    if (connection->state == CONNECTION_HELLO)
        read_hello(connection);
}

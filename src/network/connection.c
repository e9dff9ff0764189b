#define _GNU_SOURCE
#include "network/connection.h"

#include <stdlib.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "base/memory.h"
#include "network/connection_state.h"

struct connection *connection_new(const struct connection_context *context, unsigned slot)
{
    struct connection *connection = memory_allocate(sizeof *connection);

    *connection = (struct connection){.context = context,
                                      .slot = slot,
                                      .start = clock_now_ms(),
                                      .deadline = clock_now_ms() + CONNECTION_PROGRAM_MS,
                                      .granted = MUX_WINDOW,
                                      .credit = MUX_WINDOW,
                                      .fd = -1,
                                      .entry = -1};
    return connection;
}

void connection_free(struct connection *connection)
{
    if (!connection)
        return;
    connection_end_host(connection);
    free(connection);
}

/* ---- what it waits for */

static uint32_t wanted(const struct connection *connection)
{
    uint32_t events = 0;

    if (connection->state != CONNECTION_OPEN)
        return 0;
    if (!connection->host_ended && connection->credit > 0 &&
        !mux_link_is_full(connection->context->link))
        events |= EPOLLIN;
    if (connection->is_blocked)
        events |= EPOLLOUT;
    return events;
}

/* A descriptor of which nothing is wanted is taken out: its end would be told over and over. */
void connection_rearm(struct connection *connection)
{
    struct epoll_event event = {.events = wanted(connection), .data.u64 = connection->slot};
    const int operation = event.events == 0          ? EPOLL_CTL_DEL
                          : connection->watched == 0 ? EPOLL_CTL_ADD
                                                     : EPOLL_CTL_MOD;

    if (connection->fd < 0 || event.events == connection->watched)
        return;
    if (epoll_ctl(connection->context->epoll, operation, connection->fd, &event) != 0) {
        connection_close(connection); /* there is no memory */
        return;
    }
    connection->watched = event.events;
}

long long connection_deadline(const struct connection *connection)
{
    const struct dial *dial = connection ? &connection->dial : NULL;

    if (!connection)
        return 0;
    if (connection->state == CONNECTION_DIAL && dial->begun > 0 && dial->begun < dial->count &&
        dial->next_at < connection->deadline)
        return dial->next_at;
    if (connection->state == CONNECTION_HELLO && connection->retry_at != 0)
        return connection->retry_at;
    return connection->deadline;
}

/* Why the connection ends at the deadline of its state; owned by the caller. */
static char *explain_deadline(const struct connection *connection)
{
    const struct http_request *request = &connection->request;

    switch (connection->state) {
    case CONNECTION_HEAD:
        return string_format("no complete request was sent to the proxy within %d s",
                             CONNECTION_PROGRAM_MS / 1000);
    case CONNECTION_HELLO:
        return string_format("the tunnel to '%s' has carried no complete ClientHello within %d s",
                             request->host, CONNECTION_PROGRAM_MS / 1000);
    case CONNECTION_LOOKUP:
        return string_format("cannot look up '%s': no answer within %d s", request->host,
                             CONNECTION_HOST_MS / 1000);
    default:
        return string_format("cannot connect to '%s' port %u: no answer within %d s", request->host,
                             request->port, CONNECTION_HOST_MS / 1000);
    }
}

static void check_deadline(struct connection *connection)
{
    const bool is_of_program =
        connection->state == CONNECTION_HEAD || connection->state == CONNECTION_HELLO;

    if (connection->deadline != 0 && clock_now_ms() >= connection->deadline)
        connection_give_up(connection, is_of_program ? 400 : 504, explain_deadline(connection));
}

void connection_serve(struct connection *connection, bool writable)
{
    if (writable)
        connection->is_blocked = false;
    connection_begin(connection);
    if (connection->state == CONNECTION_OPEN)
        connection_pass(connection);
    check_deadline(connection);
    connection_rearm(connection);
}

/* ---- what the relay says */

bool connection_take_data(struct connection *connection, const char *bytes, size_t length)
{
    if (length == 0 || length > connection->granted || connection->program_ended)
        return false;
    connection->granted -= (uint32_t)length;
    if (connection->state != CONNECTION_CLOSED)
        strbuf_add(&connection->from_program, bytes, length);
    return true;
}

bool connection_take_credit(struct connection *connection, uint32_t bytes)
{
    if (bytes == 0 || bytes > MUX_WINDOW - connection->credit)
        return false;
    connection->credit += bytes;
    return true;
}

bool connection_take_end(struct connection *connection)
{
    const bool good = !connection->program_ended;

    connection->program_ended = true;
    return good;
}

#include "tools/tool_socket.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/lines.h"
#include "base/memory.h"
#include "tools/tool_session.h"

/* What the relay may send in the slots of the tools: arguments of calls, and what is refused. */
#define BYTES_MAX (256ULL << 20)

/* Bytes that are looked for lines at once. */
enum { PIECE = 16384 };

struct tool_connection {
    struct tool_session *session; /* owned; NULL: it is over here, and CLOSE was sent */
    struct strbuf in;             /* bytes that are not looked at yet */
    struct lines lines;
    uint32_t granted;  /* bytes that the program may still send */
    uint32_t consumed; /* and that it may send again, but was not told yet */
    uint32_t credit;   /* bytes that the relay takes */
    bool program_ended, ended_lines;
};

struct tool_socket {
    struct tool_use use;
    struct mux_link *link;
    unsigned first;
    struct tool_connection *connections[MUX_TOOLS_MAX]; /* owned; NULL: the slot is free */
};

static void free_connection(struct tool_connection *connection)
{
    tool_session_free(connection->session);
    strbuf_release(&connection->in);
    lines_release(&connection->lines);
    free(connection);
}

static unsigned slot_of(const struct tool_socket *socket, size_t i)
{
    return socket->first + (unsigned)i;
}

/* ---- one connection */

/* Ends it here. What the program still sends is dropped. */
static void close_connection(struct tool_socket *socket, size_t i)
{
    struct tool_connection *connection = socket->connections[i];

    if (!connection->session)
        return;
    tool_session_free(connection->session);
    connection->session = NULL;
    strbuf_release(&connection->in);
    lines_release(&connection->lines);
    mux_link_send(socket->link, slot_of(socket, i), MUX_CLOSE, NULL, 0);
}

/* Whether the program has sent more messages than it may, by any connection. */
static bool is_spent(struct tool_socket *socket)
{
    const struct tool_use *use = &socket->use;

    if (use->log->messages <= TOOL_USE_MESSAGES + 10LL * tool_set_limits(use->set)->calls)
        return false;
    tool_log_warn(use->log, "the program has sent so many messages for tools that its connections "
                            "were closed");
    return true;
}

/* Looks at the next bytes. Returns whether there were some. */
static bool feed_lines(struct tool_connection *connection)
{
    const size_t length = connection->in.length < PIECE ? connection->in.length : PIECE;

    if (length > 0) {
        lines_feed(&connection->lines, connection->in.data, length);
        strbuf_drop(&connection->in, length);
        connection->consumed += (uint32_t)length;
        return true;
    }
    if (!connection->program_ended || connection->ended_lines)
        return false;
    lines_end(&connection->lines);
    connection->ended_lines = true;
    return true;
}

/* Takes lines while the session has room. Returns whether there were some. */
static bool take_lines(struct tool_socket *socket, struct tool_connection *connection)
{
    bool took = false;

    while (tool_session_has_room(connection->session) && !is_spent(socket)) {
        const char *line;
        size_t length;
        const enum lines_event event = lines_next(&connection->lines, &line, &length);

        if (event == LINES_NONE && !feed_lines(connection))
            break;
        if (event == LINES_NONE)
            continue;
        tool_session_take(connection->session, event == LINES_LINE ? line : NULL, length);
        took = true;
    }
    return took;
}

/* Sends answers while the relay takes them. Returns whether there were some. */
static bool send_answers(struct tool_socket *socket, size_t i)
{
    struct tool_connection *connection = socket->connections[i];
    struct strbuf *out = tool_session_out(connection->session);
    size_t sent = 0;

    while (sent < out->length && connection->credit > 0 && !mux_link_is_full(socket->link)) {
        size_t length = out->length - sent;

        if (length > MUX_DATA_MAX)
            length = MUX_DATA_MAX;
        if (length > connection->credit)
            length = connection->credit;
        mux_link_send(socket->link, slot_of(socket, i), MUX_DATA, out->data + sent, length);
        connection->credit -= (uint32_t)length;
        sent += length;
    }
    strbuf_drop(out, sent);
    return sent > 0;
}

static void grant(struct tool_socket *socket, size_t i)
{
    struct tool_connection *connection = socket->connections[i];
    unsigned char number[4];

    if (connection->consumed < MUX_WINDOW / 2 || connection->program_ended)
        return;
    mux_write_number(number, connection->consumed);
    mux_link_send(socket->link, slot_of(socket, i), MUX_CREDIT, number, sizeof number);
    connection->granted += connection->consumed;
    connection->consumed = 0;
}

/* Does all that can be done now. */
static void serve_connection(struct tool_socket *socket, size_t i)
{
    struct tool_connection *connection = socket->connections[i];
    bool goes_on = true;

    if (!connection || !connection->session)
        return;
    while (goes_on && !is_spent(socket)) {
        goes_on = take_lines(socket, connection);
        tool_session_serve(connection->session);
        goes_on |= send_answers(socket, i);
    }
    grant(socket, i);
    if (is_spent(socket) ||
        (connection->ended_lines && !tool_session_is_busy(connection->session) &&
         tool_session_out(connection->session)->length == 0))
        close_connection(socket, i);
}

/* A turn of the loop: what one connection can do now. */
static void serve_turn(struct tool_socket *socket, size_t i)
{
    socket->use.pages_left = TOOL_USE_PAGES;
    serve_connection(socket, i);
}

/* ---- what the link says, as struct mux_service has it */

static struct tool_connection *connection_at(const struct tool_socket *socket, unsigned slot)
{
    return socket->connections[slot - socket->first];
}

static bool take_open(void *context, unsigned slot)
{
    struct tool_socket *socket = context;
    struct tool_connection *connection;

    if (connection_at(socket, slot))
        return false;
    connection = memory_allocate(sizeof *connection);
    *connection = (struct tool_connection){.session = tool_session_new(&socket->use),
                                           .lines = LINES_INIT(TOOL_SESSION_LINE_MAX),
                                           .granted = MUX_WINDOW,
                                           .credit = MUX_WINDOW};
    socket->connections[slot - socket->first] = connection;
    return true;
}

static bool take_data(void *context, unsigned slot, const char *bytes, size_t length)
{
    struct tool_socket *socket = context;
    struct tool_connection *connection = connection_at(socket, slot);

    if (!connection || connection->program_ended || length == 0 || length > connection->granted)
        return false;
    connection->granted -= (uint32_t)length;
    if (!connection->session)
        return true;
    strbuf_add(&connection->in, bytes, length);
    serve_turn(socket, slot - socket->first);
    return true;
}

static bool take_credit(void *context, unsigned slot, uint32_t bytes)
{
    struct tool_socket *socket = context;
    struct tool_connection *connection = connection_at(socket, slot);

    if (!connection || bytes == 0 || bytes > MUX_WINDOW - connection->credit)
        return false;
    connection->credit += bytes;
    serve_turn(socket, slot - socket->first);
    return true;
}

static bool take_end(void *context, unsigned slot)
{
    struct tool_socket *socket = context;
    struct tool_connection *connection = connection_at(socket, slot);

    if (!connection || connection->program_ended)
        return false;
    connection->program_ended = true;
    serve_turn(socket, slot - socket->first);
    return true;
}

static bool take_close(void *context, unsigned slot)
{
    struct tool_socket *socket = context;
    const size_t i = slot - socket->first;

    if (!socket->connections[i])
        return false;
    close_connection(socket, i);
    free_connection(socket->connections[i]);
    socket->connections[i] = NULL;
    return true;
}

/* Of each, since what one has taken may be what another one has waited for. */
static void serve_all(void *context)
{
    struct tool_socket *socket = context;

    socket->use.pages_left = TOOL_USE_PAGES;
    for (size_t i = 0; i < MUX_TOOLS_MAX; i++)
        serve_connection(socket, i);
}

static void serve(void *context)
{
    struct tool_socket *socket = context;

    notifier_clear(&socket->use.done);
    tool_consent_check_timer(socket->use.consent);
    serve_all(socket);
}

static void note_failure(void *context, int number)
{
    const struct tool_socket *socket = context;
    CLEANUP_FREE char *reason = string_format("the program cannot call tools: cannot listen at "
                                              "'" MUX_TOOLS_SOCKET "' in the container: %s",
                                              strerror(number));

    tool_log_warn(socket->use.log, reason);
}

static void end_connections(struct tool_socket *socket)
{
    for (size_t i = 0; i < MUX_TOOLS_MAX; i++) {
        if (socket->connections[i])
            free_connection(socket->connections[i]);
        socket->connections[i] = NULL;
    }
}

static void break_off(void *context, const char *reason)
{
    struct tool_socket *socket = context;

    tool_log_warn(socket->use.log, reason);
    end_connections(socket);
}

/* ---- its beginning and its end */

static int add_service(struct tool_socket *socket, struct error *error)
{
    const struct mux_service service = {
        .context = socket,
        .first = socket->first,
        .count = MUX_TOOLS_MAX,
        .max_bytes = BYTES_MAX,
        .fd = notifier_fd(&socket->use.done),
        .timer = socket->use.consent->timer,
        .take_open = take_open,
        .take_data = take_data,
        .take_credit = take_credit,
        .take_end = take_end,
        .take_close = take_close,
        .serve = serve,
        .has_room = serve_all,
        .failed = note_failure,
        .broken = break_off,
    };

    return mux_link_add(socket->link, &service, error);
}

struct tool_socket *tool_socket_new(struct tool_set *set, const struct strvec *servers,
                                    struct tool_log *log, struct tool_consent *consent,
                                    struct mux_link *link, unsigned first, struct error *error)
{
    struct tool_socket *socket = memory_allocate(sizeof *socket);

    *socket = (struct tool_socket){
        .use =
            {.set = set, .servers = servers, .log = log, .consent = consent, .done = NOTIFIER_INIT},
        .link = link,
        .first = first,
    };
    if (notifier_open(&socket->use.done, error) == 0 && add_service(socket, error) == 0)
        return socket;
    tool_socket_free(socket);
    return NULL;
}

void tool_socket_free(struct tool_socket *socket)
{
    if (!socket)
        return;
    end_connections(socket);
    notifier_release(&socket->use.done);
    free(socket);
}

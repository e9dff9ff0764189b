#define _GNU_SOURCE
#include "supervisor/relay/relay_server.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/mux.h"
#include "supervisor/helper.h"
#include "supervisor/relay/relay_link.h"
#include "supervisor/relay/relay_listen.h"
#include "supervisor/relay/tool_call.h"

/*
 * How this works. One loop waits for the two pipes, the listener and all connections. What comes
 * from isolator has its place in the ring of its connection, since isolator has credit for it: so
 * the pipe is always read, and no connection holds up another one. What comes from a program is
 * read when there is credit and room for a whole message; the connections take turns.
 *
 * Nothing here blocks but the pipes at the very end, and no one waits for this process: process 1
 * kills it.
 */

/* A connection that isolator has closed is closed for the program too, so long after its last byte,
 * so that the program can read that before it learns that what it writes is refused. */
enum { LINGER_MS = 1000 };

/* How long this process waits if the kernel has no descriptor or memory for a connection. */
enum { REFUSED_MS = 20 };

enum { NEVER = -1 };

/* What is polled: two pipes, the listeners, and from here on the slots. */
enum { LISTENERS = 2, POLLED_LISTENERS = 2, POLLED_SLOTS = POLLED_LISTENERS + LISTENERS };

struct relayed {
    int fd;       /* -1: it is closed here */
    bool used;    /* the slot is */
    bool got_end; /* no more comes from isolator */
    bool got_close, sent_end, sent_close;
    bool shut;            /* the program has been told the end */
    uint32_t credit;      /* bytes that isolator takes */
    uint32_t taken;       /* bytes that were written to it, and are not granted again yet */
    size_t first, filled; /* of its ring */
    long long close_at;   /* NEVER, or a time of now_ms() */
};

/* A service: the proxy or the tools. */
struct listener {
    int fd;
    uint32_t first, count; /* its slots */
};

struct server {
    struct relay_link link;
    struct listener listeners[LISTENERS];
    uint32_t slots;
    struct relayed items[MUX_SLOTS_MAX];
    unsigned char *rings; /* MUX_WINDOW bytes for each slot */
    uint32_t turn;        /* the connection that is served first */
    struct pollfd polled[POLLED_SLOTS + MUX_SLOTS_MAX];
};

static long long now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* ---- connections */

static unsigned slot_of(const struct server *server, const struct relayed *connection)
{
    return (unsigned)(connection - server->items);
}

static void send_close(struct server *server, struct relayed *connection)
{
    if (!connection->sent_close)
        relay_link_send(&server->link, slot_of(server, connection), MUX_CLOSE, 0);
    connection->sent_close = true;
}

/* The connection is over here. */
static void drop(struct server *server, struct relayed *connection)
{
    if (connection->fd >= 0)
        close(connection->fd);
    connection->fd = -1;
    connection->filled = 0;
    send_close(server, connection);
}

/* Goes on with what follows from the state of a connection. */
static void advance(struct server *server, struct relayed *connection)
{
    const bool flushed = connection->filled == 0;

    if (connection->fd >= 0 && flushed && !connection->shut &&
        (connection->got_end || connection->got_close)) {
        shutdown(connection->fd, SHUT_WR);
        connection->shut = true;
        connection->close_at = connection->got_close ? now_ms() + LINGER_MS : NEVER;
    }
    if (connection->fd >= 0 && connection->shut && connection->got_close &&
        connection->close_at == NEVER)
        connection->close_at = now_ms() + LINGER_MS;
    if (connection->fd >= 0 && connection->shut && connection->sent_end)
        drop(server, connection);
    if (connection->got_close && connection->fd < 0)
        connection->used = false;
}

static void read_program(struct server *server, struct relayed *connection)
{
    const bool discards = connection->got_close;
    unsigned char dropped[4096];
    size_t size = discards ? sizeof dropped : MUX_DATA_MAX;
    ssize_t length;

    if (!discards && size > connection->credit)
        size = connection->credit;
    if (connection->sent_end || size == 0 || !relay_link_has_room(&server->link))
        return;
    length = read(connection->fd, discards ? dropped : relay_link_payload(&server->link), size);
    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (length > 0 && !discards) {
        relay_link_commit(&server->link, slot_of(server, connection), MUX_DATA, (size_t)length);
        connection->credit -= (uint32_t)length;
    } else if (length == 0) {
        connection->sent_end = true;
        if (!connection->sent_close && !discards)
            relay_link_send(&server->link, slot_of(server, connection), MUX_END, 0);
    } else if (length < 0) {
        drop(server, connection);
    }
}

static unsigned char *ring(const struct server *server, const struct relayed *connection)
{
    return server->rings + (size_t)slot_of(server, connection) * MUX_WINDOW;
}

static void write_program(struct server *server, struct relayed *connection)
{
    const size_t until_end = MUX_WINDOW - connection->first;
    const size_t length = connection->filled < until_end ? connection->filled : until_end;
    const ssize_t written =
        send(connection->fd, ring(server, connection) + connection->first, length, MSG_NOSIGNAL);

    if (written < 0) {
        if (errno != EAGAIN && errno != EINTR)
            drop(server, connection);
        return;
    }
    connection->first = (connection->first + (size_t)written) % MUX_WINDOW;
    connection->filled -= (size_t)written;
    connection->taken += (uint32_t)written;
    if (connection->taken < MUX_WINDOW / 2 || connection->got_end || connection->got_close)
        return;
    relay_link_send(&server->link, slot_of(server, connection), MUX_CREDIT, connection->taken);
    connection->taken = 0;
}

static struct relayed *free_slot(struct server *server, const struct listener *listener)
{
    for (uint32_t i = 0; i < listener->count; i++)
        if (!server->items[listener->first + i].used)
            return &server->items[listener->first + i];
    return NULL;
}

static void accept_program(struct server *server, const struct listener *listener)
{
    struct relayed *connection = free_slot(server, listener);
    const int on = 1;
    int fd;

    if (!connection || !relay_link_has_room(&server->link))
        return;
    fd = accept4(listener->fd, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0) {
        if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)
            poll(NULL, 0, REFUSED_MS); /* it would be tried again at once */
        return;
    }
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on); /* a UNIX socket refuses it */
    *connection = (struct relayed){.fd = fd, .used = true, .credit = MUX_WINDOW, .close_at = NEVER};
    relay_link_send(&server->link, slot_of(server, connection), MUX_OPEN, 0);
}

/* ---- from isolator */

/* Keeps bytes for a connection. isolator has credit for all of them. */
static void buffer_bytes(struct server *server, struct relayed *connection,
                         const unsigned char *bytes, size_t length)
{
    if (connection->fd < 0)
        return;
    if (length > MUX_WINDOW - connection->filled)
        _exit(1);
    for (size_t i = 0; i < length;) {
        const size_t at = (connection->first + connection->filled) % MUX_WINDOW;
        const size_t part = length - i < MUX_WINDOW - at ? length - i : MUX_WINDOW - at;

        memcpy(ring(server, connection) + at, bytes + i, part);
        connection->filled += part;
        i += part;
    }
}

static void take_message(void *context, const struct mux_message *message,
                         const unsigned char *bytes)
{
    struct server *server = context;
    struct relayed *connection = &server->items[message->slot];

    if (!connection->used)
        _exit(1);
    switch (message->type) {
    case MUX_DATA:
        buffer_bytes(server, connection, bytes, message->length);
        break;
    case MUX_CREDIT:
        connection->credit += message->length == 4 ? mux_read_number(bytes) : 0;
        break;
    case MUX_END:
        connection->got_end = true;
        break;
    case MUX_CLOSE:
        connection->got_close = true;
        break;
    default:
        _exit(1);
    }
}

/* ---- the loop */

static int wanted(struct server *server, const struct relayed *connection)
{
    const bool reads = !connection->sent_end && relay_link_has_room(&server->link) &&
                       (connection->got_close || connection->credit > 0);

    return (reads ? POLLIN : 0) | (connection->filled > 0 ? POLLOUT : 0);
}

/* Fills in what is waited for. Returns for how long, in ms. */
static int watch(struct server *server)
{
    long long next = NEVER;
    const long long now = now_ms();

    server->polled[0] = (struct pollfd){server->link.in, POLLIN, 0};
    server->polled[1] =
        (struct pollfd){relay_link_pending(&server->link) ? server->link.out : -1, POLLOUT, 0};
    for (int i = 0; i < LISTENERS; i++) {
        const struct listener *listener = &server->listeners[i];
        const bool accepts = free_slot(server, listener) && relay_link_has_room(&server->link);

        server->polled[POLLED_LISTENERS + i] =
            (struct pollfd){accepts ? listener->fd : -1, POLLIN, 0};
    }
    for (uint32_t i = 0; i < server->slots; i++) {
        struct relayed *connection = &server->items[i];
        const int events = connection->fd >= 0 ? wanted(server, connection) : 0;

        /*
         * The end of a connection is told without being asked for, and over and over. After the
         * program's last byte, only that is waited for: a caller of tools may have gone.
         */
        server->polled[POLLED_SLOTS + i] = (struct pollfd){
            events != 0 || connection->sent_end ? connection->fd : -1, (short)events, 0};
        if (connection->fd >= 0 && connection->close_at != NEVER &&
            (next == NEVER || connection->close_at < next))
            next = connection->close_at;
    }
    return next == NEVER ? -1 : next <= now ? 0 : (int)(next - now);
}

static void serve_connection(struct server *server, uint32_t slot)
{
    struct relayed *connection = &server->items[slot];
    const struct pollfd *polled = &server->polled[POLLED_SLOTS + slot];
    const int events = polled->fd >= 0 ? polled->revents : 0;

    if (connection->fd >= 0 && (events & POLLOUT))
        write_program(server, connection);
    if (connection->fd >= 0 && (events & (POLLIN | POLLHUP | POLLERR)))
        read_program(server, connection);
    if (connection->fd >= 0 && connection->sent_end && (events & (POLLHUP | POLLERR)))
        drop(server, connection);
    if (connection->fd >= 0 && connection->close_at != NEVER && now_ms() >= connection->close_at)
        drop(server, connection);
    if (connection->used)
        advance(server, connection);
}

static void serve(struct server *server)
{
    if (poll(server->polled, POLLED_SLOTS + server->slots, watch(server)) < 0)
        memset(server->polled, 0, sizeof server->polled); /* EINTR, ENOMEM */
    if (server->polled[0].revents)
        relay_link_read(&server->link, take_message, server);
    for (uint32_t i = 0; i < server->slots; i++)
        serve_connection(server, (server->turn + i) % server->slots);
    server->turn = server->turn + 1 < server->slots ? server->turn + 1 : 0;
    for (int i = 0; i < LISTENERS; i++) {
        const struct pollfd *polled = &server->polled[POLLED_LISTENERS + i];

        if (polled->fd >= 0 && (polled->revents & POLLIN))
            accept_program(server, &server->listeners[i]);
    }
    if (relay_link_pending(&server->link))
        relay_link_write(&server->link);
}

/* Listens, and tells isolator. */
static void begin_service(struct server *server, struct listener *listener, int (*listens)(void))
{
    if (listener->count == 0)
        return;
    if (server->rings != MAP_FAILED)
        listener->fd = listens();
    if (listener->fd < 0)
        relay_link_send(&server->link, listener->first, MUX_FAILED, (uint32_t)errno);
    else
        relay_link_send(&server->link, listener->first, MUX_LISTENS, 0);
}

static void open_server(struct server *server, int in, int out, uint32_t connections,
                        uint32_t tools)
{
    *server = (struct server){.link = {.in = in, .out = out},
                              .slots = connections + tools,
                              .listeners = {{-1, 0, connections}, {-1, connections, tools}}};
    helper_close_others((const int[]){in, out}, 2);
    for (uint32_t i = 0; i < MUX_SLOTS_MAX; i++)
        server->items[i].fd = -1;
    server->rings = mmap(NULL, (size_t)server->slots * MUX_WINDOW, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    begin_service(server, &server->listeners[0], relay_listen_at_port);
    begin_service(server, &server->listeners[1], relay_listen_at_path);
}

static _Noreturn void serve_always(struct server *server)
{
    fcntl(server->link.in, F_SETFL, O_NONBLOCK);
    fcntl(server->link.out, F_SETFL, O_NONBLOCK);
    for (;;)
        serve(server);
}

_Noreturn void relay_server(int in, int out, uint32_t connections, uint32_t tools)
{
    static struct server server;

    if (tools > 0)
        tool_call_lay_out();
    open_server(&server, in, out, connections, tools);
    serve_always(&server);
}

_Noreturn void relay_server_detached(uint32_t connections)
{
    static struct server server;
    pid_t child = -1;

    open_server(&server, STDIN_FILENO, STDOUT_FILENO, connections, 0);
    if (server.listeners[0].fd >= 0)
        child = fork();
    else
        relay_link_write(&server.link);
    if (child != 0)
        _exit(child > 0 ? 0 : 1);
    setsid(); /* so that it gets no signals for the steps */
    serve_always(&server);
}

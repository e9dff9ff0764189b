#include "tls_peers.h"

#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "tls/bridge_state.h"

/* One connection, served step by step in this process. */

struct alone {
    struct contexts contexts;
    struct bridge_context context;
    struct bridge *bridge;
    SSL_CTX *client;
    SSL *program; /* does not block */
    int fd, host, link;
};

enum { MINUTE = 60000 };

static void set_nonblocking(int fd)
{
    assert_int_equal(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
}

/* One for all tests: nothing frees an authority. */
static struct authority *authority_of_all(void)
{
    static struct authority *authority;

    if (!authority)
        authority = authority_new();
    return authority;
}

static void start_alone(struct alone *alone, int program_ms, int host_ms)
{
    struct link_order *order = calloc(1, sizeof *order);
    int ends[2];

    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    alone->link = ends[0];
    contexts_init(&alone->contexts, authority_of_all(), X509_STORE_new());
    alone->context = (struct bridge_context){.contexts = &alone->contexts,
                                             .epoll = epoll_create1(EPOLL_CLOEXEC),
                                             .link = ends[1],
                                             .program_ms = program_ms,
                                             .host_ms = host_ms,
                                             .end_ms = 50};
    order->text = string_copy("a.test");
    order->text_length = strlen("a.test") + 1;
    order->tunnel = (struct http_tunnel){.host = order->text, .port = 443};
    alone->fd = make_pair(&order->program);
    alone->host = make_pair(&order->host);
    set_nonblocking(alone->fd);
    set_nonblocking(order->program);
    set_nonblocking(order->host);
    alone->bridge = bridge_new(&alone->context, 0, order);
    alone->client = SSL_CTX_new(TLS_client_method());
    alone->program = SSL_new(alone->client);
    SSL_set_fd(alone->program, alone->fd);
}

static void connect_alone(struct alone *alone)
{
    for (int i = 0; i < 10 && SSL_connect(alone->program) != 1; i++)
        bridge_serve(alone->bridge, false);
    assert_true(SSL_is_init_finished(alone->program));
    bridge_serve(alone->bridge, false);
    assert_true(alone->bridge->program.is_ready);
}

static void stop_alone(struct alone *alone)
{
    bridge_free(alone->bridge);
    SSL_free(alone->program);
    SSL_CTX_free(alone->client);
    SSL_CTX_free(alone->contexts.program);
    SSL_CTX_free(alone->contexts.host);
    close(alone->context.epoll);
    close(alone->context.link);
    close(alone->link);
    close(alone->host);
    close(alone->fd);
}

/* Other connections have their turn between the bytes of a head. */
CASE(tls_bridge__head_byte_by_byte)
{
    static const char head[] = "GET /0123456789012345678901234567890123456789 HTTP/1.1\r\n"
                               "Host: a.test\r\n\r\n";
    struct alone alone;

    start_alone(&alone, MINUTE, MINUTE);
    connect_alone(&alone);
    for (size_t i = 0; i < strlen(head); i++)
        assert_int_equal(SSL_write(alone.program, head + i, 1), 1);
    bridge_serve(alone.bridge, false);
    assert_int_equal(alone.bridge->incoming.length, 8);
    for (size_t i = 0; i < strlen(head) && !alone.bridge->has_request; i += 8) {
        assert_int_equal(bridge_deadline(alone.bridge), 1); /* at once */
        bridge_serve(alone.bridge, false);
    }
    assert_true(alone.bridge->has_request);
    stop_alone(&alone);
}

/* Serves the connection once its deadline has come, in 50 ms. */
static void serve_late(struct alone *alone)
{
    const long long deadline = bridge_deadline(alone->bridge), now = clock_now_ms();

    assert_true(deadline > now - 20000 && deadline <= now + 50);
    while (clock_now_ms() < deadline)
        poll(NULL, 0, 1);
    bridge_serve(alone->bridge, false);
}

static void check_late(struct alone *alone, int status, const char *text)
{
    struct peers peers = {.link = alone->link};

    check_given_up(&peers, 0, status, text);
}

/* The program does not get a response, since there is no TLS with it. */
CASE(tls_bridge__late_handshake_of_the_program)
{
    struct alone alone;

    start_alone(&alone, 50, MINUTE);
    bridge_serve(alone.bridge, false);
    serve_late(&alone);
    check_late(&alone, 400, "no complete request to 'a.test' was sent within 0 s");
    assert_int_equal(alone.bridge->state, BRIDGE_ENDING);
    bridge_serve(alone.bridge, false);
    serve_late(&alone);
    assert_true(bridge_is_closed(alone.bridge));
    stop_alone(&alone);
}

CASE(tls_bridge__late_head)
{
    struct alone alone;
    char bytes[1000];

    start_alone(&alone, 50, MINUTE);
    connect_alone(&alone);
    serve_late(&alone);
    check_late(&alone, 400, "no complete request to 'a.test' was sent within 0 s");
    bridge_serve(alone.bridge, false);
    assert_true(SSL_read(alone.program, bytes, sizeof bytes) > 0);
    assert_memory_equal(bytes, "HTTP/1.1 400 ", 13);
    stop_alone(&alone);
}

CASE(tls_bridge__late_handshake_of_the_host)
{
    struct alone alone;
    char bytes[1000];

    start_alone(&alone, MINUTE, 50);
    connect_alone(&alone);
    serve_late(&alone);
    check_late(&alone, 504, "cannot speak TLS with 'a.test' port 443: no answer within 0 s");
    bridge_serve(alone.bridge, false);
    assert_true(SSL_read(alone.program, bytes, sizeof bytes) > 0);
    assert_memory_equal(bytes, "HTTP/1.1 504 ", 13);
    stop_alone(&alone);
}

#define _GNU_SOURCE
#include "test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/mux.h"
#include "network/connection.h"
#include "network/proxy.h"

/*
 * The test is the relay, which says what a program would, and the host: a server at a port of
 * 127.0.0.1 that the system chooses. In what is compared, that port is "PORT"; it has five digits.
 */

enum { LATE_MS = 20000, SLOTS = 8 };

struct fixture {
    struct network_rules rules;
    struct network_log log;
    struct docker docker;
    struct strbuf steps; /* of the trace */
    struct mux_link *link;
    struct proxy *proxy;
    int listener;
    unsigned port;
    struct strbuf out;         /* of the proxy: the start of a message */
    struct strbuf trace;       /* its messages; DATA that follows DATA is one */
    struct strbuf data[SLOTS]; /* what the program gets */
    size_t sent[SLOTS];        /* bytes of DATA since OPEN */
    size_t allowed[SLOTS];     /* and how many the relay has allowed */
    size_t credit[SLOTS];      /* bytes that the relay may send */
    int flooding[SLOTS];       /* hosts that send without end; -1: none */
};

static void note_step(void *context, const char *step, long long milliseconds)
{
    (void)milliseconds;
    strbuf_addf(context, "%s;", step);
}

/* A socket at a port of its own: one that listens, or refuses connections. */
static int bind_port(int backlog, unsigned *port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int small = 4096; /* what is not read fills it soon */

    setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    assert_int_equal(bind(fd, (const struct sockaddr *)&address, sizeof address), 0);
    if (backlog >= 0)
        assert_int_equal(listen(fd, backlog), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    *port = ntohs(address.sin_port);
    assert_in_range(*port, 10000, 65535);
    return fd;
}

static struct network_host *allow(struct fixture *fixture, const char *host)
{
    CLEANUP_FREE char *text = string_format("%s:%u", host, fixture->port);
    struct error error = ERROR_INIT;

    network_rules_add(&fixture->rules, text, &error);
    assert_no_error(&error);
    return &fixture->rules.hosts[fixture->rules.count - 1];
}

/* Rules for a server at 127.0.0.1; the proxy is started after changes of them. */
static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.log = NETWORK_LOG_INIT};
    fixture->docker = (struct docker){.trace = note_step, .trace_context = &fixture->steps};
    for (int i = 0; i < SLOTS; i++)
        fixture->flooding[i] = -1;
    network_rules_complete(&fixture->rules);
    fixture->listener = bind_port(16, &fixture->port);
    allow(fixture, "127.0.0.1");
}

static void start(struct fixture *fixture)
{
    struct error error = ERROR_INIT;

    fixture->link = mux_link_new(&error);
    assert_non_null(fixture->link);
    fixture->proxy =
        proxy_new(&fixture->rules, NULL, &fixture->log, &fixture->docker, fixture->link, &error);
    assert_no_error(&error);
    assert_non_null(fixture->proxy);
}

static void begin(struct fixture *fixture)
{
    set_up(fixture);
    start(fixture);
}

/* Tunnels to the server may carry anything. */
static void begin_raw(struct fixture *fixture)
{
    set_up(fixture);
    fixture->rules.hosts[0].raw = true;
    start(fixture);
}

static void stop(struct fixture *fixture)
{
    proxy_free(fixture->proxy);
    fixture->proxy = NULL;
    mux_link_free(fixture->link);
    fixture->link = NULL;
}

static void tear_down(struct fixture *fixture)
{
    stop(fixture);
    close(fixture->listener);
    network_rules_release(&fixture->rules);
    network_log_release(&fixture->log);
    strbuf_release(&fixture->steps);
    strbuf_release(&fixture->out);
    strbuf_release(&fixture->trace);
    for (int i = 0; i < SLOTS; i++)
        strbuf_release(&fixture->data[i]);
}

/* ---- what the relay says */

static void take(struct fixture *fixture, const char *bytes, size_t length)
{
    mux_link_take(fixture->link, bytes, length);
}

static void say(struct fixture *fixture, unsigned slot, enum mux_type type, const void *payload,
                size_t length)
{
    CLEANUP(strbuf_release) struct strbuf message = STRBUF_INIT;
    unsigned char header[MUX_HEADER];

    mux_write(header, slot, type, length);
    strbuf_add(&message, header, sizeof header);
    strbuf_add(&message, payload, length);
    if (type == MUX_OPEN) {
        fixture->sent[slot] = 0;
        fixture->allowed[slot] = fixture->credit[slot] = MUX_WINDOW;
    }
    if (type == MUX_DATA)
        fixture->credit[slot] -= length;
    take(fixture, message.data, message.length);
}

static void say_data(struct fixture *fixture, unsigned slot, const char *text)
{
    say(fixture, slot, MUX_DATA, text, strlen(text));
}

static void say_credit(struct fixture *fixture, unsigned slot, uint32_t bytes)
{
    unsigned char number[4];

    mux_write_number(number, bytes);
    fixture->allowed[slot] += bytes;
    say(fixture, slot, MUX_CREDIT, number, sizeof number);
}

/* A program connects and sends this, with the number of the port in place of PORT. */
static void ask(struct fixture *fixture, unsigned slot, const char *text)
{
    CLEANUP(strbuf_release) struct strbuf request = STRBUF_INIT;
    const char *rest = text, *at;

    for (; (at = strstr(rest, "PORT")); rest = at + 4) {
        strbuf_add(&request, rest, (size_t)(at - rest));
        strbuf_addf(&request, "%u", fixture->port);
    }
    strbuf_addstr(&request, rest);
    say(fixture, slot, MUX_OPEN, NULL, 0);
    say_data(fixture, slot, request.data);
}

/* ---- what the proxy says */

static void note_message(struct fixture *fixture, const struct mux_message *message,
                         const char *payload)
{
    static const char *const names[] = {
        [MUX_DATA] = "DATA", [MUX_CREDIT] = "CREDIT", [MUX_END] = "END", [MUX_CLOSE] = "CLOSE"};
    CLEANUP_FREE char *text = NULL;
    const unsigned slot = message->slot;
    size_t length;

    assert_true(slot < SLOTS && message->type < COUNT(names) && names[message->type]);
    if (message->type == MUX_CREDIT) {
        const uint32_t bytes = mux_read_number((const unsigned char *)payload);

        assert_int_equal(message->length, 4);
        text = string_format("CREDIT %u %u ", slot, bytes);
        fixture->credit[slot] += bytes;
        assert_in_range(fixture->credit[slot], 1, MUX_WINDOW);
    } else {
        text = string_format("%s %u ", names[message->type], slot);
        assert_true(message->type == MUX_DATA ? message->length > 0 : message->length == 0);
    }
    if (message->type == MUX_DATA) {
        strbuf_add(&fixture->data[slot], payload, message->length);
        fixture->sent[slot] += message->length;
        assert_in_range(fixture->sent[slot], 1, fixture->allowed[slot]);
    }
    length = strlen(text);
    if (message->type == MUX_DATA && fixture->trace.length >= length &&
        strcmp(fixture->trace.data + fixture->trace.length - length, text) == 0)
        return;
    strbuf_addstr(&fixture->trace, text);
}

/* Takes what the proxy has for the relay. Returns how many bytes. */
static size_t drain(struct fixture *fixture)
{
    char bytes[10007];
    struct mux_message message;
    size_t length, all = 0;

    while ((length = mux_link_give(fixture->link, bytes, sizeof bytes)) > 0) {
        strbuf_add(&fixture->out, bytes, length);
        all += length;
        while (fixture->out.length >= MUX_HEADER) {
            assert_true(mux_read((const unsigned char *)fixture->out.data, &message));
            if (fixture->out.length < MUX_HEADER + message.length)
                break;
            note_message(fixture, &message, fixture->out.data + MUX_HEADER);
            strbuf_drop(&fixture->out, MUX_HEADER + message.length);
        }
    }
    return all;
}

/* Hosts send as much as the system takes now. */
static void flood(const struct fixture *fixture)
{
    static const char bytes[65536];

    for (int i = 0; i < SLOTS; i++)
        while (fixture->flooding[i] >= 0 &&
               send(fixture->flooding[i], bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL) > 0)
            continue;
}

/* Waits until the proxy or the other descriptor (-1: none) has something to do. */
static void wait_once(struct fixture *fixture, int other, short events, long long deadline)
{
    const long long left = deadline - clock_now_ms();
    struct pollfd polled[] = {{mux_link_fd(fixture->link), POLLIN, 0}, {other, events, 0}};

    if (left <= 0 || poll(polled, 2, (int)left) == 0)
        fail_msg("nothing happens after: %s", strbuf_string(&fixture->trace));
    if (polled[0].revents != 0)
        mux_link_serve(fixture->link);
}

static void step(struct fixture *fixture, int other, short events, long long deadline)
{
    flood(fixture);
    drain(fixture);
    wait_once(fixture, other, events, deadline);
    drain(fixture);
}

/* Waits until the messages end with these. */
static void wait_for(struct fixture *fixture, const char *messages)
{
    const long long deadline = clock_now_ms() + LATE_MS;
    const size_t length = strlen(messages);

    drain(fixture);
    while (fixture->trace.length < length ||
           strcmp(fixture->trace.data + fixture->trace.length - length, messages) != 0)
        step(fixture, -1, 0, deadline);
}

/* Waits until the program has got so many bytes. */
static void wait_for_bytes(struct fixture *fixture, unsigned slot, size_t length)
{
    const long long deadline = clock_now_ms() + LATE_MS;

    drain(fixture);
    while (fixture->data[slot].length < length)
        step(fixture, -1, 0, deadline);
}

/* Everything is done that can be done without others. */
static void expect_quiet(struct fixture *fixture)
{
    struct pollfd polled = {mux_link_fd(fixture->link), POLLIN, 0};

    assert_int_equal(drain(fixture), 0);
    assert_int_equal(poll(&polled, 1, 0), 0);
}

static void check_trace(struct fixture *fixture, const char *expected)
{
    drain(fixture);
    assert_string_equal(strbuf_string(&fixture->trace), expected);
    strbuf_release(&fixture->trace);
}

/* The text with PORT in place of the number; owned by the caller. */
static char *without_port(const struct fixture *fixture, const char *text)
{
    CLEANUP_FREE char *number = string_format("%u", fixture->port);
    struct strbuf result = STRBUF_INIT;
    const char *at;

    strbuf_addstr(&result, "");
    for (; (at = strstr(text, number)); text = at + strlen(number)) {
        strbuf_add(&result, text, (size_t)(at - text));
        strbuf_addstr(&result, "PORT");
    }
    strbuf_addstr(&result, text);
    return strbuf_steal(&result);
}

/* Checks what the program has got, and forgets it. */
static void check_data(struct fixture *fixture, unsigned slot, const char *expected)
{
    CLEANUP_FREE char *text = NULL;

    drain(fixture);
    text = without_port(fixture, strbuf_string(&fixture->data[slot]));
    assert_string_equal(text, expected);
    strbuf_release(&fixture->data[slot]);
}

static void expect_data(struct fixture *fixture, unsigned slot, const char *expected)
{
    wait_for_bytes(fixture, slot, strlen(expected));
    check_data(fixture, slot, expected);
}

static void check_log(struct fixture *fixture, const char *expected)
{
    static const char *const outcomes[] = {"connected", "refused", "failed"};
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    CLEANUP_FREE char *seen = NULL;

    for (size_t i = 0; i < fixture->log.count; i++) {
        const struct network_entry *entry = &fixture->log.entries[i];

        strbuf_addf(&text, "%s:%u %s %llu: %llu sent, %llu received%s%s\n", entry->host,
                    entry->port, outcomes[entry->outcome], entry->connections, entry->sent,
                    entry->received, entry->reason ? ": " : "", entry->reason ? entry->reason : "");
    }
    seen = without_port(fixture, strbuf_string(&text));
    assert_string_equal(seen, expected);
}

/* ---- the host */

static int accept_host(struct fixture *fixture)
{
    const long long deadline = clock_now_ms() + LATE_MS;
    struct pollfd polled = {fixture->listener, POLLIN, 0};

    while (poll(&polled, 1, 0) == 0)
        step(fixture, fixture->listener, POLLIN, deadline);
    return accept4(fixture->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

/* Waits until the host can read, and reads. 0: the end. */
static size_t host_read(struct fixture *fixture, int fd, char *bytes, size_t size)
{
    const long long deadline = clock_now_ms() + LATE_MS;
    ssize_t length;

    while ((length = recv(fd, bytes, size, 0)) < 0) {
        assert_int_equal(errno, EAGAIN);
        step(fixture, fd, POLLIN, deadline);
    }
    return (size_t)length;
}

/* The host gets exactly this next; PORT is one digit more. */
static void expect_host(struct fixture *fixture, int fd, const char *expected)
{
    CLEANUP(strbuf_release) struct strbuf got = STRBUF_INIT;
    const size_t wanted = strlen(expected) + (strstr(expected, "PORT") ? 1 : 0);
    CLEANUP_FREE char *text = NULL;
    char byte;

    while (got.length < wanted && host_read(fixture, fd, &byte, 1) == 1)
        strbuf_addch(&got, byte);
    text = without_port(fixture, strbuf_string(&got));
    assert_string_equal(text, expected);
}

static void expect_host_end(struct fixture *fixture, int fd)
{
    char byte;

    assert_int_equal(host_read(fixture, fd, &byte, 1), 0);
}

static void host_says(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

static void host_resets(int fd)
{
    const struct linger reset = {1, 0};

    setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
    close(fd);
}

static const char ESTABLISHED[] = "HTTP/1.1 200 Connection established\r\n\r\n"; /* 39 bytes */

/* Opens a tunnel to the server: 36 bytes of a request. Returns the host's descriptor. */
static int open_tunnel(struct fixture *fixture, unsigned slot)
{
    int host;

    ask(fixture, slot, "CONNECT 127.0.0.1:PORT HTTP/1.1\r\n\r\n");
    expect_data(fixture, slot, ESTABLISHED);
    strbuf_release(&fixture->trace);
    host = accept_host(fixture);
    assert_true(host >= 0);
    return host;
}

/* ---- requests of plain HTTP */

CASE_WITH(proxy__get, begin(fixture))
{
    int host;

    take(fixture, "\0\0\1\0\0\0\0\0", 8); /* LISTENS */
    ask(fixture, 0,
        "GET http://127.0.0.1:PORT/a?b HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n"
        "User-Agent: x\r\nProxy-Connection: keep-alive\r\n\r\n");
    host = accept_host(fixture);
    expect_host(fixture, host, "GET /a?b HTTP/1.1\r\nHost: 127.0.0.1:");
    expect_host(fixture, host, "PORT\r\nUser-Agent: x\r\nConnection: close\r\n\r\n");
    check_trace(fixture, "");
    host_says(host, "HTTP/1.1 200 OK\r\n\r\nbody");
    close(host);
    wait_for(fixture, "CLOSE 0 ");
    check_trace(fixture, "DATA 0 END 0 CLOSE 0 ");
    check_data(fixture, 0, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nbody");
    check_log(fixture, "127.0.0.1:PORT connected 1: 78 sent, 23 received\n");
    assert_int_equal(fixture->log.bytes, 101);
    {
        CLEANUP_FREE char *steps = without_port(fixture, strbuf_string(&fixture->steps));

        assert_string_equal(steps, "connect 127.0.0.1:PORT;");
    }
}

/* Each byte in a message of its own, and each message byte by byte. */
CASE_WITH(proxy__get_in_pieces, begin(fixture))
{
    CLEANUP_FREE char *request = NULL;
    int host;

    request = string_format("GET http://127.0.0.1:%u/ HTTP/1.1\r\nHost: 127.0.0.1:%u\r\n\r\n",
                            fixture->port, fixture->port);
    say(fixture, 0, MUX_OPEN, NULL, 0);
    for (const char *at = request; *at; at++) {
        const char message[] = {0, 0, MUX_DATA, 0, 1, 0, 0, 0, *at};

        for (size_t i = 0; i < sizeof message; i++)
            take(fixture, message + i, 1);
    }
    host = accept_host(fixture);
    expect_host(fixture, host,
                "GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: close\r\n\r\n");
    close(host);
    wait_for(fixture, "END 0 CLOSE 0 ");
}

/* What follows the body is another request, which is dropped. */
CASE_WITH(proxy__post, begin(fixture))
{
    int host;

    ask(fixture, 0,
        "POST http://127.0.0.1:PORT/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: "
        "6\r\n\r\none");
    host = accept_host(fixture);
    expect_host(fixture, host,
                "POST / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 6\r\n"
                "Connection: close\r\n\r\none");
    say_data(fixture, 0, "twoGET http://127.0.0.1/ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
    say(fixture, 0, MUX_END, NULL, 0);
    expect_host(fixture, host, "two");
    host_says(host, "answer");
    expect_data(fixture, 0, "answer"); /* also after the end of the program */
    close(host);
    wait_for(fixture, "END 0 CLOSE 0 ");
    check_log(fixture, "127.0.0.1:PORT connected 1: 86 sent, 6 received\n");
}

/* They are dropped, so that the program can send more. */
CASE_WITH(proxy__bytes_after_the_body, begin(fixture))
{
    static const char bytes[MUX_DATA_MAX];
    int host;

    ask(fixture, 0, "GET http://127.0.0.1:PORT/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n");
    host = accept_host(fixture);
    for (int i = 0; i < 10; i++) {
        say(fixture, 0, MUX_DATA, bytes, sizeof bytes);
        drain(fixture);
    }
    expect_host(fixture, host,
                "GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nConnection: close\r\n\r\n");
    host_says(host, "answer");
    expect_data(fixture, 0, "answer");
    check_log(fixture, "127.0.0.1:PORT connected 1: 60 sent, 6 received\n");
    close(host);
}

/* The host would wait for the rest. */
CASE_WITH(proxy__post_without_its_end, begin(fixture))
{
    int host;

    ask(fixture, 0,
        "POST http://127.0.0.1:PORT/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: "
        "6\r\n\r\none");
    host = accept_host(fixture);
    say(fixture, 0, MUX_END, NULL, 0);
    check_trace(fixture, "CLOSE 0 ");
    expect_host(fixture, host,
                "POST / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Length: 6\r\n"
                "Connection: close\r\n\r\none");
    expect_host_end(fixture, host);
    close(host);
}

CASE_WITH(proxy__body_that_is_not_chunks, begin(fixture))
{
    int host;

    ask(fixture, 0,
        "POST http://127.0.0.1:PORT/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nTransfer-Encoding: "
        "chunked\r\n\r\nx\r\n");
    host = accept_host(fixture);
    check_trace(fixture, "CLOSE 0 ");
    expect_host(fixture, host,
                "POST / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n"
                "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
    expect_host_end(fixture, host);
    check_log(fixture,
              "127.0.0.1:PORT connected 1: 89 sent, 0 received\n"
              "127.0.0.1:PORT failed 1: 0 sent, 0 received: the body of a request to the proxy is "
              "not valid\n");
    close(host);
}

/* ---- tunnels */

CASE_WITH(proxy__tunnel, begin_raw(fixture))
{
    int one, two;

    one = open_tunnel(fixture, 0);
    two = open_tunnel(fixture, 1);
    say_data(fixture, 0, "up one");
    say_data(fixture, 1, "up two");
    expect_host(fixture, two, "up two");
    expect_host(fixture, one, "up one");
    host_says(two, "down two");
    expect_data(fixture, 1, "down two");
    host_says(one, "down one");
    expect_data(fixture, 0, "down one");
    host_says(one, "more");
    expect_data(fixture, 0, "more");
    check_trace(fixture, "DATA 1 DATA 0 ");
    check_log(fixture, "127.0.0.1:PORT connected 2: 12 sent, 20 received\n");
    close(one);
    close(two);
}

CASE_WITH(proxy__program_ends_first, begin_raw(fixture))
{
    int host;

    host = open_tunnel(fixture, 0);
    say_data(fixture, 0, "up");
    say(fixture, 0, MUX_END, NULL, 0);
    expect_host(fixture, host, "up");
    expect_host_end(fixture, host);
    host_says(host, "down");
    expect_data(fixture, 0, "down");
    check_trace(fixture, "DATA 0 ");
    close(host);
    wait_for(fixture, "CLOSE 0 ");
    check_trace(fixture, "END 0 CLOSE 0 ");
}

CASE_WITH(proxy__host_ends_first, begin_raw(fixture))
{
    int host;

    host = open_tunnel(fixture, 0);
    host_says(host, "down");
    shutdown(host, SHUT_WR);
    wait_for(fixture, "END 0 ");
    check_data(fixture, 0, "down");
    say_data(fixture, 0, "up");
    expect_host(fixture, host, "up");
    expect_quiet(fixture); /* its end is told once */
    check_trace(fixture, "DATA 0 END 0 ");
    say(fixture, 0, MUX_END, NULL, 0);
    check_trace(fixture, "CLOSE 0 ");
    expect_host_end(fixture, host);
    close(host);
}

CASE_WITH(proxy__host_resets, begin_raw(fixture))
{
    int host;

    host = open_tunnel(fixture, 0);
    host_resets(host);
    wait_for(fixture, "CLOSE 0 ");
    check_trace(fixture, "CLOSE 0 ");
    say_data(fixture, 0, "was on its way");
    say(fixture, 0, MUX_END, NULL, 0);
    say(fixture, 0, MUX_CLOSE, NULL, 0);
    check_trace(fixture, "");
    assert_int_equal(fixture->log.count, 1);
}

/* A host may refuse a body that it has not read: what it says comes first. */
CASE_WITH(proxy__host_answers_and_resets, begin_raw(fixture))
{
    struct pollfd polled = {.events = POLLIN};
    int host;

    host = open_tunnel(fixture, 0);
    say_data(fixture, 0, "body");
    polled.fd = host;
    assert_int_equal(poll(&polled, 1, LATE_MS), 1); /* and is not read */
    host_says(host, "413");
    close(host);
    polled.fd = mux_link_fd(fixture->link);
    assert_int_equal(poll(&polled, 1, LATE_MS), 1);
    say_data(fixture, 0, "more");
    wait_for(fixture, "CLOSE 0 ");
    check_trace(fixture, "DATA 0 CLOSE 0 ");
    check_data(fixture, 0, "413");
}

/* Each way to the end, in the same slot. */
CASE_WITH(proxy__slot_is_used_again, begin_raw(fixture))
{
    int host;

    host = open_tunnel(fixture, 3);
    say_data(fixture, 3, "one");
    say(fixture, 3, MUX_CLOSE, NULL, 0); /* the relay is the first */
    check_trace(fixture, "CLOSE 3 ");
    expect_host(fixture, host, "one");
    expect_host_end(fixture, host);
    close(host);
    host = open_tunnel(fixture, 3);
    close(host);
    wait_for(fixture, "END 3 ");
    say(fixture, 3, MUX_END, NULL, 0); /* the proxy is */
    check_trace(fixture, "END 3 CLOSE 3 ");
    say_credit(fixture, 3, 39);
    say(fixture, 3, MUX_CLOSE, NULL, 0);
    check_trace(fixture, "");
    host = open_tunnel(fixture, 3);
    host_says(host, "three");
    expect_data(fixture, 3, "three");
    close(host);
    check_log(fixture, "127.0.0.1:PORT connected 3: 3 sent, 5 received\n");
}

/* ---- what is refused, or fails */

CASE_WITH(proxy__host_that_is_not_allowed, begin(fixture))
{
    ask(fixture, 0, "CONNECT example.com:443 HTTP/1.1\r\n\r\n");
    check_trace(fixture, "DATA 0 CLOSE 0 ");
    check_data(fixture, 0,
               "HTTP/1.1 403 Forbidden: host 'example.com' is not on the list of allowed hosts\r\n"
               "Content-Type: text/plain\r\nContent-Length: 65\r\nConnection: close\r\n\r\n"
               "isolator: host 'example.com' is not on the list of allowed hosts\n");
    say(fixture, 0, MUX_CLOSE, NULL, 0);
    ask(fixture, 0, "GET http://127.0.0.1:81/ HTTP/1.1\r\nHost: 127.0.0.1:81\r\n\r\n");
    check_trace(fixture, "DATA 0 CLOSE 0 ");
    check_data(fixture, 0,
               "HTTP/1.1 403 Forbidden: port 81 of host '127.0.0.1' is not on the list of allowed "
               "hosts\r\nContent-Type: text/plain\r\nContent-Length: 74\r\n"
               "Connection: close\r\n\r\n"
               "isolator: port 81 of host '127.0.0.1' is not on the list of allowed hosts\n");
    check_log(fixture,
              "example.com:443 refused 1: 0 sent, 0 received: host 'example.com' is not on the "
              "list of allowed hosts\n"
              "127.0.0.1:81 refused 1: 0 sent, 0 received: port 81 of host '127.0.0.1' is not on "
              "the list of allowed hosts\n");
    assert_string_equal(strbuf_string(&fixture->steps),
                        "refuse example.com:443;refuse 127.0.0.1:81;");
}

/* A pattern adds nothing to a name that has an entry of its own, wherever the two are in the list.
 */
CASE(proxy__name_before_pattern)
{
    static const char *const hosts[][4] = {
        {"*.corp.example:443", "*.corp.example:8443", "uploads.corp.example:443"},
        {"uploads.corp.example:443", "*.corp.example:443", "*.corp.example:8443"},
        {"uploads.corp.example:443", "*.example:80", "*.corp.example:8443"},
    };

    for (size_t i = 0; i < COUNT(hosts); i++) {
        struct fixture fixture;

        set_up(&fixture);
        for (size_t k = 0; hosts[i][k]; k++) {
            struct error error = ERROR_INIT;

            network_rules_add(&fixture.rules, hosts[i][k], &error);
            assert_no_error(&error);
        }
        start(&fixture);
        ask(&fixture, 0, "CONNECT uploads.corp.example:8443 HTTP/1.1\r\n\r\n");
        ask(&fixture, 1,
            "GET http://uploads.corp.example/ HTTP/1.1\r\nHost: uploads.corp.example\r\n\r\n");
        check_trace(&fixture, "DATA 0 CLOSE 0 DATA 1 CLOSE 1 ");
        check_log(&fixture,
                  "uploads.corp.example:8443 refused 1: 0 sent, 0 received: port 8443 of host "
                  "'uploads.corp.example' is not on the list of allowed hosts\n"
                  "uploads.corp.example:80 refused 1: 0 sent, 0 received: port 80 of host "
                  "'uploads.corp.example' is not on the list of allowed hosts\n");
        tear_down(&fixture);
    }
}

/* A listed name never leads to an address of this host by itself. */
CASE_WITH(proxy__name_with_a_private_address, set_up(fixture))
{
    allow(fixture, "localhost");
    start(fixture);
    ask(fixture, 0, "GET http://localhost:PORT/ HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n");
    wait_for(fixture, "DATA 0 CLOSE 0 ");
    assert_non_null(strstr(strbuf_string(&fixture->data[0]),
                           "HTTP/1.1 403 Forbidden: host 'localhost' has the address "));
    assert_int_equal(fixture->log.count, 1);
    assert_int_equal(fixture->log.entries[0].outcome, NETWORK_REFUSED);
    assert_string_equal(fixture->log.entries[0].host, "localhost");
    if (strstr(fixture->log.entries[0].reason, "::1"))
        assert_string_equal(fixture->log.entries[0].reason,
                            "host 'localhost' has the address ::1, which is an address of this "
                            "machine or not public, and not in the \"addresses\" of its entry");
    else
        assert_string_equal(
            fixture->log.entries[0].reason,
            "host 'localhost' has the address 127.0.0.1, which is an address of "
            "this machine or not public, and not in the \"addresses\" of its entry");
}

static void allow_localhost(struct fixture *fixture)
{
    struct network_host *host = allow(fixture, "localhost");

    assert_true(ip_range_parse("127.0.0.0/8", &host->ranges[host->range_count++]));
}

static void begin_localhost(struct fixture *fixture)
{
    set_up(fixture);
    allow_localhost(fixture);
    start(fixture);
}

CASE_WITH(proxy__name_with_its_addresses, begin_localhost(fixture))
{
    int host;

    ask(fixture, 0, "GET http://localhost:PORT/ HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n");
    host = accept_host(fixture);
    expect_host(fixture, host,
                "GET / HTTP/1.1\r\nHost: localhost:PORT\r\nConnection: close\r\n\r\n");
    close(host);
    wait_for(fixture, "CLOSE 0 ");
    check_trace(fixture, "END 0 CLOSE 0 ");
    check_log(fixture, "localhost:PORT connected 1: 60 sent, 0 received\n");
}

CASE_WITH(proxy__closed_port, set_up(fixture))
{
    close(fixture->listener);
    fixture->listener = bind_port(-1, &fixture->port);
    allow(fixture, "127.0.0.1");
    start(fixture);
    ask(fixture, 0, "CONNECT 127.0.0.1:PORT HTTP/1.1\r\n\r\n");
    wait_for(fixture, "CLOSE 0 ");
    check_trace(fixture, "DATA 0 CLOSE 0 ");
    check_data(fixture, 0,
               "HTTP/1.1 502 Bad Gateway: cannot connect to '127.0.0.1' port PORT: Connection "
               "refused\r\nContent-Type: text/plain\r\nContent-Length: 71\r\n"
               "Connection: close\r\n\r\n"
               "isolator: cannot connect to '127.0.0.1' port PORT: Connection refused\n");
    check_log(fixture, "127.0.0.1:PORT failed 1: 0 sent, 0 received: cannot connect to "
                       "'127.0.0.1' port PORT: Connection refused\n");
}

CASE_WITH(proxy__request_that_is_cut_off, begin(fixture))
{
    ask(fixture, 0, "CONNECT 127.0");
    check_trace(fixture, "");
    say(fixture, 0, MUX_END, NULL, 0);
    check_trace(fixture, "DATA 0 CLOSE 0 ");
    check_data(fixture, 0,
               "HTTP/1.1 400 Bad Request: a request to the proxy is not complete\r\n"
               "Content-Type: text/plain\r\nContent-Length: 49\r\nConnection: close\r\n\r\n"
               "isolator: a request to the proxy is not complete\n");
    check_log(fixture, ":0 failed 1: 0 sent, 0 received: a request to the proxy is not "
                       "complete\n");
    say(fixture, 1, MUX_OPEN, NULL, 0); /* one that asks for nothing is no failure */
    say(fixture, 1, MUX_END, NULL, 0);
    check_trace(fixture, "CLOSE 1 ");
    assert_int_equal(fixture->log.count, 1);
}

CASE_WITH(proxy__request_that_is_not_valid, begin(fixture))
{
    ask(fixture, 0, "GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n");
    check_trace(fixture, "DATA 0 CLOSE 0 ");
    assert_int_equal(strncmp(fixture->data[0].data,
                             "HTTP/1.1 400 Bad Request: a request to the proxy is not valid: ", 63),
                     0);
    assert_int_equal(fixture->log.count, 1);
    assert_int_equal(fixture->log.entries[0].outcome, NETWORK_FAILED);
    assert_string_equal(fixture->log.entries[0].host, "");
    assert_int_equal(fixture->log.entries[0].port, 0);
}

/* ---- TLS */

/* A ClientHello for this host; NULL: it names none. */
static struct strbuf client_hello(const char *name)
{
    static const char before[] = "\x03\x03"
                                 "0123456789abcdef0123456789abcdef"
                                 "\x00"
                                 "\x00\x02\x13\x01"
                                 "\x01\x00";
    struct strbuf hello = STRBUF_INIT;
    const char length = name ? (char)strlen(name) : 0;
    const char extension[] = {0, 0, 0, (char)(length + 5), 0, (char)(length + 3), 0, 0, length};
    const char extensions = name ? (char)(sizeof extension + (size_t)length) : 0;
    const char message = (char)(sizeof before - 1 + 2 + (size_t)extensions);
    const char header[] = {0x16, 3, 1, 0, (char)(message + 4), 1, 0, 0, message};

    strbuf_add(&hello, header, sizeof header);
    strbuf_add(&hello, before, sizeof before - 1);
    strbuf_add(&hello, (const char[]){0, extensions}, 2);
    if (name) {
        strbuf_add(&hello, extension, sizeof extension);
        strbuf_addstr(&hello, name);
    }
    return hello;
}

static int open_named_tunnel(struct fixture *fixture)
{
    int host;

    ask(fixture, 0, "CONNECT localhost:PORT HTTP/1.1\r\n\r\n");
    expect_data(fixture, 0, ESTABLISHED);
    strbuf_release(&fixture->trace);
    host = accept_host(fixture);
    assert_int_equal(fixture->log.count, 0); /* it is not known yet whether it is allowed */
    return host;
}

/* Says this in a tunnel to localhost, which is ended without a word; the host gets nothing. */
static void check_no_tunnel(const char *bytes, size_t length, const char *expected)
{
    struct fixture fixture;
    int host;

    begin_localhost(&fixture);
    host = open_named_tunnel(&fixture);
    if (length > 0)
        say(&fixture, 0, MUX_DATA, bytes, length);
    say(&fixture, 0, MUX_END, NULL, 0);
    check_trace(&fixture, "CLOSE 0 ");
    expect_host_end(&fixture, host);
    check_log(&fixture, expected);
    close(host);
    tear_down(&fixture);
}

CASE(proxy__tunnel_without_tls)
{
    check_no_tunnel("GET / HTTP/1.1\r\n", 16,
                    "localhost:PORT refused 1: 0 sent, 0 received: the tunnel to 'localhost' "
                    "carries what is not TLS, and the list does not say \"raw\"\n");
    check_no_tunnel("\x16\x03\x01\x00", 4,
                    "localhost:PORT refused 1: 0 sent, 0 received: the tunnel to 'localhost' "
                    "carries what is not TLS, and the list does not say \"raw\"\n");
    check_no_tunnel("", 0,
                    "localhost:PORT failed 1: 0 sent, 0 received: the tunnel to 'localhost' has "
                    "carried nothing\n");
}

CASE(proxy__tunnel_with_tls_for_another_host)
{
    CLEANUP(strbuf_release) struct strbuf other = client_hello("example.com");
    CLEANUP(strbuf_release) struct strbuf nameless = client_hello(NULL);

    check_no_tunnel(other.data, other.length,
                    "localhost:PORT refused 1: 0 sent, 0 received: the tunnel to 'localhost' "
                    "carries TLS for 'example.com'\n");
    check_no_tunnel(nameless.data, nameless.length,
                    "localhost:PORT refused 1: 0 sent, 0 received: the tunnel to 'localhost' "
                    "carries TLS that names no host\n");
}

/* Passes a ClientHello on as it is, with what follows. */
static void check_tls(struct fixture *fixture, int host, const struct strbuf *hello)
{
    char got[200];
    size_t length = 0;

    say(fixture, 0, MUX_DATA, hello->data, 10);
    expect_quiet(fixture);
    say(fixture, 0, MUX_DATA, hello->data + 10, hello->length - 10);
    while (length < hello->length)
        length += host_read(fixture, host, got + length, hello->length - length);
    assert_memory_equal(got, hello->data, length);
    say_data(fixture, 0, "more");
    expect_host(fixture, host, "more");
    host_says(host, "answer");
    expect_data(fixture, 0, "answer");
    close(host);
}

CASE_WITH(proxy__tunnel_with_tls, begin_localhost(fixture))
{
    CLEANUP(strbuf_release) struct strbuf hello = client_hello("LocalHost");

    check_tls(fixture, open_named_tunnel(fixture), &hello);
    check_log(fixture, "localhost:PORT connected 1: 74 sent, 6 received\n");
}

/* Clients name no host if they know its address alone. */
CASE_WITH(proxy__tunnel_with_tls_to_an_address, begin(fixture))
{
    CLEANUP(strbuf_release) struct strbuf hello = client_hello(NULL);

    check_tls(fixture, open_tunnel(fixture, 0), &hello);
    check_log(fixture, "127.0.0.1:PORT connected 1: 56 sent, 6 received\n");
}

/* ---- maxBytes */

static const char HUNDRED_BYTES[] = "0123456789012345678901234567890123456789012345678901234567890"
                                    "123456789012345678901234567890123456789";

/* Nothing more is carried by the request, in any connection. */
static void check_used_up(struct fixture *fixture, const char *log)
{
    check_log(fixture, log);
    assert_int_equal(fixture->log.bytes, 100);
    ask(fixture, 7, "GET http://127.0.0.1:PORT/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n");
    check_trace(fixture, "DATA 7 CLOSE 7 ");
    check_data(fixture, 7,
               "HTTP/1.1 403 Forbidden: the connections have carried 100 bytes, which is the limit "
               "(maxBytes)\r\nContent-Type: text/plain\r\nContent-Length: 80\r\n"
               "Connection: close\r\n\r\n"
               "isolator: the connections have carried 100 bytes, which is the limit (maxBytes)\n");
    assert_int_equal(fixture->log.bytes, 100);
}

static void begin_with_budget(struct fixture *fixture)
{
    set_up(fixture);
    fixture->rules.hosts[0].raw = true;
    fixture->rules.max_bytes = 100;
    start(fixture);
}

CASE_WITH(proxy__budget_of_what_is_sent, begin_with_budget(fixture))
{
    int one, two;

    one = open_tunnel(fixture, 0);
    two = open_tunnel(fixture, 1);
    host_says(one, "0123456789");
    expect_data(fixture, 0, "0123456789");
    say_data(fixture, 0, HUNDRED_BYTES);
    expect_host(fixture, one,
                "0123456789012345678901234567890123456789012345678901234567890"
                "12345678901234567890123456789");
    expect_host_end(fixture, one);
    check_trace(fixture, "DATA 0 CLOSE 0 ");
    say_data(fixture, 1, "x");
    check_trace(fixture, "CLOSE 1 ");
    expect_host_end(fixture, two);
    check_used_up(fixture,
                  "127.0.0.1:PORT connected 2: 90 sent, 10 received\n"
                  "127.0.0.1:PORT refused 2: 0 sent, 0 received: the connections have carried 100 "
                  "bytes, which is the limit (maxBytes)\n");
    close(one);
    close(two);
}

CASE_WITH(proxy__budget_of_what_is_received, begin_with_budget(fixture))
{
    int one, two;

    one = open_tunnel(fixture, 0);
    two = open_tunnel(fixture, 1);
    say_data(fixture, 0, "0123456789");
    expect_host(fixture, one, "0123456789");
    host_says(one, HUNDRED_BYTES);
    wait_for(fixture, "CLOSE 0 ");
    check_trace(fixture, "DATA 0 CLOSE 0 ");
    check_data(fixture, 0,
               "0123456789012345678901234567890123456789012345678901234567890"
               "12345678901234567890123456789");
    host_says(two, "x");
    wait_for(fixture, "CLOSE 1 ");
    check_trace(fixture, "CLOSE 1 ");
    check_used_up(fixture,
                  "127.0.0.1:PORT connected 2: 10 sent, 90 received\n"
                  "127.0.0.1:PORT refused 2: 0 sent, 0 received: the connections have carried 100 "
                  "bytes, which is the limit (maxBytes)\n");
    close(one);
    close(two);
}

/* ---- credit */

/* The answer to CONNECT takes 39 bytes of the first credit. */
CASE_WITH(proxy__waits_for_credit, begin_raw(fixture))
{
    fixture->flooding[0] = open_tunnel(fixture, 0);
    wait_for_bytes(fixture, 0, 65536 - 39);
    expect_quiet(fixture);
    assert_int_equal(fixture->sent[0], 65536);
    say_credit(fixture, 0, 1);
    wait_for_bytes(fixture, 0, 65536 - 39 + 1);
    expect_quiet(fixture);
    say_credit(fixture, 0, 999);
    wait_for_bytes(fixture, 0, 65536 - 39 + 1000);
    expect_quiet(fixture);
    say_credit(fixture, 0, 65536);
    wait_for_bytes(fixture, 0, 2 * 65536 - 39 + 1000);
    expect_quiet(fixture);
    assert_int_equal(fixture->sent[0], 2 * 65536 + 1000);
    close(fixture->flooding[0]);
}

/* Half of a window at a time; the request counts too. */
CASE_WITH(proxy__grants_what_was_dealt_with, begin_raw(fixture))
{
    static char bytes[MUX_DATA_MAX];
    int host;

    host = open_tunnel(fixture, 0);
    memset(bytes, 'x', sizeof bytes);
    say(fixture, 0, MUX_DATA, bytes, sizeof bytes);
    check_trace(fixture, "");
    say(fixture, 0, MUX_DATA, bytes, 16347); /* 32767 in all */
    check_trace(fixture, "");
    say(fixture, 0, MUX_DATA, bytes, 1);
    check_trace(fixture, "CREDIT 0 32768 ");
    assert_int_equal(fixture->credit[0], 65536);
    close(host);
}

static char pattern_at(size_t at)
{
    return (char)(at % 251);
}

/* Sends a pattern to a host that does not read, until there is no credit. Returns how much. */
static size_t fill_up(struct fixture *fixture, unsigned slot)
{
    const long long deadline = clock_now_ms() + LATE_MS;
    struct pollfd polled = {mux_link_fd(fixture->link), POLLIN, 0};
    char bytes[MUX_DATA_MAX];
    size_t all = 0;

    while (fixture->credit[slot] > 0 || poll(&polled, 1, 0) > 0) {
        const size_t credit = fixture->credit[slot];
        const size_t length = credit < sizeof bytes ? credit : sizeof bytes;

        for (size_t i = 0; i < length; i++)
            bytes[i] = pattern_at(all + i);
        if (length > 0)
            say(fixture, slot, MUX_DATA, bytes, length);
        all += length;
        assert_in_range(all, 1, 64 << 20); /* no system keeps that for a host */
        assert_true(clock_now_ms() < deadline);
        mux_link_serve(fixture->link);
        drain(fixture);
    }
    return all;
}

static void check_pattern(const char *bytes, size_t at, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (bytes[i] != pattern_at(at + i))
            fail_msg("byte %zu is %d", at + i, bytes[i]);
}

/* What is not granted again is all that is kept here: the system has the rest. */
CASE_WITH(proxy__host_that_does_not_read, begin_raw(fixture))
{
    const long long deadline = clock_now_ms() + LATE_MS;
    char bytes[MUX_DATA_MAX];
    size_t all, got = 0;
    int host;

    host = open_tunnel(fixture, 0);
    all = fill_up(fixture, 0);
    while (got < all - 65536) { /* the proxy does nothing meanwhile */
        struct pollfd polled = {host, POLLIN, 0};
        ssize_t length;

        assert_int_equal(poll(&polled, 1, (int)(deadline - clock_now_ms())), 1);
        length = recv(host, bytes, sizeof bytes, 0);
        assert_in_range(length, 1, sizeof bytes);
        check_pattern(bytes, got, (size_t)length);
        got += (size_t)length;
    }
    while (got < all) {
        const size_t length = host_read(fixture, host, bytes, sizeof bytes);

        assert_in_range(length, 1, sizeof bytes);
        check_pattern(bytes, got, length);
        got += length;
    }
    assert_int_equal(got, all);
    assert_in_range(fixture->credit[0], 32769, 65536); /* it goes on */
    close(host);
}

/* The host has ended its direction, and is still to get the rest of the other one. */
CASE_WITH(proxy__both_end_before_all_is_sent, begin_raw(fixture))
{
    char bytes[MUX_DATA_MAX];
    size_t all, length, got = 0;
    int host;

    host = open_tunnel(fixture, 0);
    shutdown(host, SHUT_WR);
    wait_for(fixture, "END 0 ");
    all = fill_up(fixture, 0);
    say(fixture, 0, MUX_END, NULL, 0);
    drain(fixture);
    while ((length = host_read(fixture, host, bytes, sizeof bytes)) > 0) {
        check_pattern(bytes, got, length);
        got += length;
    }
    assert_int_equal(got, all);
    wait_for(fixture, "CLOSE 0 ");
    close(host);
}

/* What the kernel says of an epoll: a line with "tfd:" for each descriptor that it waits for. */
static struct strbuf watched_of(int epoll)
{
    CLEANUP_FREE char *path = string_format("/proc/self/fdinfo/%d", epoll);
    CLEANUP_FD int fd = open(path, O_RDONLY | O_CLOEXEC);

    return read_all(fd);
}

/* How many descriptors the proxy waits for; the link waits for that of the proxy alone. */
static int count_watched(const struct fixture *fixture)
{
    CLEANUP(strbuf_release) struct strbuf outer = watched_of(mux_link_fd(fixture->link));
    const char *proxy = strstr(strbuf_string(&outer), "tfd:");
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    int count = 0;

    assert_non_null(proxy);
    text = watched_of(atoi(proxy + strlen("tfd:")));
    for (const char *at = text.data; (at = strstr(at, "tfd:")); at += 4)
        count++;
    return count;
}

/* Nothing is read from hosts while the relay takes nothing. */
CASE_WITH(proxy__relay_that_takes_nothing, begin_raw(fixture))
{
    enum { TUNNELS = 6 };
    const long long deadline = clock_now_ms() + LATE_MS;

    for (unsigned i = 0; i < TUNNELS; i++)
        fixture->flooding[i] = open_tunnel(fixture, i);
    assert_int_equal(count_watched(fixture), TUNNELS + 1);
    while (count_watched(fixture) > 1) { /* the timer */
        flood(fixture);
        wait_once(fixture, -1, 0, deadline);
    }
    /* by then, this was there */
    assert_in_range(drain(fixture), MUX_LINK_FULL, MUX_LINK_FULL + 16384 + 8);
    for (unsigned i = 0; i < TUNNELS; i++)
        wait_for_bytes(fixture, i, 65536 - 39);
    for (unsigned i = 0; i < TUNNELS; i++)
        close(fixture->flooding[i]);
}

/* ---- a relay that says what it must not */

static void check_broken(struct fixture *fixture)
{
    check_log(fixture, ":0 failed 1: 0 sent, 0 received: the relay in the container has sent what "
                       "it must not, so all connections were ended\n");
    expect_quiet(fixture);
    ask(fixture, 1, "CONNECT example.com:443 HTTP/1.1\r\n\r\n"); /* is not taken */
    take(fixture, "\0\0\0\1\0\0\0\0", 8);
    expect_quiet(fixture);
    assert_int_equal(fixture->log.count, 1);
    assert_int_equal(fixture->log.entries[0].connections, 1);
}

#define BYTES(text)                                                                                \
    {                                                                                              \
        text, sizeof(text) - 1                                                                     \
    }

/* Slot 0 is open, 1 waits for a ClientHello, and 5 is not. */
CASE(proxy__violations)
{
    static const struct {
        const char *bytes;
        size_t length;
    } cases[] = {
        BYTES("\0\0\0\0\0\0\0\0"),                   /* type 0 */
        BYTES("\0\0\10\0\0\0\0\0"),                  /* type 8 */
        BYTES("\0\0\2\0\3\0\0\0\1\0\0"),             /* a short FAILED */
        BYTES("\0\0\1\0\1\0\0\0x"),                  /* LISTENS with something */
        BYTES("\0\0\3\0\0\0\0\0"),                   /* OPEN twice */
        BYTES("\5\0\3\0\1\0\0\0x"),                  /* OPEN with something */
        BYTES("\5\0\4\0\1\0\0\0x"),                  /* DATA for one that is not open */
        BYTES("\5\0\5\0\4\0\0\0\0\0\0\0"),           /* CREDIT */
        BYTES("\5\0\6\0\0\0\0\0"),                   /* END */
        BYTES("\5\0\7\0\0\0\0\0"),                   /* CLOSE */
        BYTES("\0\0\7\0\0\0\0\0\0\0\7\0\0\0\0\0"),   /* CLOSE twice */
        BYTES("\0\0\7\0\1\0\0\0x"),                  /* CLOSE with something */
        BYTES("\0\0\5\0\4\0\0\0\1\0\0\0"),           /* CREDIT beyond the window */
        BYTES("\1\0\5\0\4\0\0\0\x28\0\0\0"),         /* 40 bytes after 39 */
        BYTES("\1\0\5\0\4\0\0\0\xff\xff\xff\xff"),   /* the sum is less than before */
        BYTES("\0\0\5\0\3\0\0\0\0\0\0"),             /* a short CREDIT */
        BYTES("\0\0\5\0\5\0\0\0\0\0\0\0\0"),         /* a long one */
        BYTES("\0\0\6\0\1\0\0\0x"),                  /* END with something */
        BYTES("\0\0\4\0\1\0\0\0x\0\0\6\0\0\0\0\0"    /* END twice */
              "\0\0\6\0\0\0\0\0"),                   /* */
        BYTES("\1\0\6\0\0\0\0\0\1\0\4\0\1\0\0\0x"),  /* DATA after END */
        BYTES("\0\0\4\1\1\0\0\0x"),                  /* a byte of the header */
        BYTES("\0\1\3\0\0\0\0\0"),                   /* slot 256 */
        BYTES("\0\0\4\0\1\100\0\0"),                 /* 16385 bytes, which have not come */
        BYTES("\0\0\4\0\0\0\0\1"),                   /* 16 MiB */
        BYTES("\6\0\3\0\0\0\0\0\xff\0\3\0\0\0\0\0"), /* slot 255, of 64 */
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fixture fixture;
        int host;

        begin(&fixture);
        say(&fixture, 0, MUX_OPEN, NULL, 0);
        host = open_tunnel(&fixture, 1);
        take(&fixture, cases[i].bytes, cases[i].length);
        if (fixture.log.count == 0)
            fail_msg("case %zu is taken", i);
        network_log_release(&fixture.log); /* of what was refused before */
        take(&fixture, cases[i].bytes, cases[i].length);
        assert_int_equal(fixture.log.count, 0);
        expect_host_end(&fixture, host);
        close(host);
        tear_down(&fixture);
    }
}

CASE_WITH(proxy__violation_is_noted_once, begin(fixture))
{
    int host;

    host = open_tunnel(fixture, 0);
    take(fixture, "\0\0\3\0\0\0\0\0", 8);
    check_broken(fixture);
    expect_host_end(fixture, host);
    close(host);
}

/* To a connection that is over nothing is granted, nor to one whose host takes nothing. */
CASE(proxy__more_than_was_granted)
{
    static const char bytes[MUX_DATA_MAX];
    struct fixture fixture;
    int host;

    begin(&fixture);
    ask(&fixture, 0, "GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n");
    for (int i = 0; i < 3; i++)
        say(&fixture, 0, MUX_DATA, bytes, sizeof bytes);
    say(&fixture, 0, MUX_DATA, bytes, 16384 - 55);
    check_trace(&fixture, "DATA 0 CLOSE 0 ");
    network_log_release(&fixture.log); /* of the refusal */
    say(&fixture, 0, MUX_DATA, bytes, 1);
    check_broken(&fixture);
    tear_down(&fixture);

    begin_raw(&fixture);
    host = open_tunnel(&fixture, 0);
    fill_up(&fixture, 0);
    network_log_release(&fixture.log);
    say(&fixture, 0, MUX_DATA, bytes, 1);
    check_broken(&fixture);
    close(host);
    tear_down(&fixture);
}

CASE_WITH(proxy__max_connections, set_up(fixture))
{
    fixture->rules.max_connections = 2;
    start(fixture);
    say(fixture, 0, MUX_OPEN, NULL, 0);
    say(fixture, 1, MUX_OPEN, NULL, 0);
    check_trace(fixture, "");
    check_log(fixture, "");
    say(fixture, 2, MUX_OPEN, NULL, 0);
    check_broken(fixture);
}

CASE_WITH(proxy__relay_that_cannot_listen, begin(fixture))
{
    take(fixture, "\0\0\2\0\4\0\0\0\x62\0\0\0", 12); /* EADDRINUSE */
    check_log(fixture, ":0 failed 1: 0 sent, 0 received: the container has no proxy: cannot "
                       "listen at port 3128: Address already in use\n");
    expect_quiet(fixture);
}

/* What isolator says itself needs no room of hosts, but a relay has to take it in the end. */
CASE_WITH(proxy__relay_that_only_opens, begin(fixture))
{
    int count = 0;

    while (fixture->log.count < 2 && count++ < 100000) {
        ask(fixture, 0, "CONNECT example.com:443 HTTP/1.1\r\n\r\n");
        say(fixture, 0, MUX_CLOSE, NULL, 0);
    }
    assert_int_equal(fixture->log.count, 2);
    assert_string_equal(fixture->log.entries[1].reason,
                        "the relay in the container has sent what "
                        "it must not, so all connections were ended");
    /* 256 connections can have been refused, and hosts have sent what they may */
    assert_in_range(count, 2000, 10000);
    expect_quiet(fixture);
}

/* ---- the end */

static int count_descriptors(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int count = 0;

    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

/* A port at which connections are not accepted: it has as many as it takes. */
static int bind_full_port(unsigned *port, int clients[3])
{
    const int fd = bind_port(0, port);
    const struct sockaddr_in address = {.sin_family = AF_INET,
                                        .sin_port = htons((uint16_t)*port),
                                        .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};

    for (int i = 0; i < 3; i++) {
        clients[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        connect(clients[i], (const struct sockaddr *)&address, sizeof address);
    }
    return fd;
}

/* Opens a connection in each state. Returns two descriptors of hosts. */
static void open_each(struct fixture *fixture, const char *full, int hosts[2])
{
    hosts[0] = open_tunnel(fixture, 0); /* waits for a ClientHello */
    ask(fixture, 1, "GET http://127.0.0.1:PORT/ HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n");
    hosts[1] = accept_host(fixture);
    say(fixture, 2, MUX_OPEN, NULL, 0);
    ask(fixture, 3, "GET ");
    ask(fixture, 4, full);
    ask(fixture, 5, "GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n");
    /* is looked up, or connected by now */
    ask(fixture, 6, "GET http://localhost:PORT/ HTTP/1.1\r\nHost: localhost:PORT\r\n\r\n");
    check_trace(fixture, "DATA 5 CLOSE 5 ");
}

CASE_WITH(proxy__ends_in_each_state, set_up(fixture))
{
    const long long deadline = clock_now_ms() + LATE_MS;
    struct error error = ERROR_INIT;
    CLEANUP_FREE char *entry = NULL, *full = NULL;
    int hosts[2], clients[3], full_port, before;
    unsigned port;

    full_port = bind_full_port(&port, clients);
    entry = string_format("127.0.0.1:%u", port);
    full = string_format("CONNECT 127.0.0.1:%u HTTP/1.1\r\n\r\n", port);
    network_rules_add(&fixture->rules, entry, &error);
    allow_localhost(fixture);
    for (int way = 0; way < 3; way++) {
        before = count_descriptors();
        start(fixture);
        open_each(fixture, full, hosts);
        for (unsigned i = 0; way == 1 && i < 7; i++)
            say(fixture, i, MUX_CLOSE, NULL, 0);
        if (way == 1)
            check_trace(fixture, "CLOSE 0 CLOSE 1 CLOSE 2 CLOSE 3 CLOSE 4 CLOSE 6 ");
        if (way == 2)
            take(fixture, "\0\0\0\0\0\0\0\0", 8);
        stop(fixture);
        close(hosts[0]);
        close(hosts[1]);
        while (count_descriptors() > before) /* that of a lookup, until its thread has ended */
            assert_true(clock_now_ms() < deadline);
        assert_int_equal(count_descriptors(), before);
        strbuf_release(&fixture->data[0]);
    }
    for (int i = 0; i < 3; i++)
        close(clients[i]);
    close(full_port);
}

/* ---- SOCKS */

/* Asks for a host, whose name is 9 characters long, and the port of the server. */
static void ask_by_socks(struct fixture *fixture, unsigned slot, const char *host)
{
    char request[] = "\5\1\0\3\11.........??";

    assert_int_equal(strlen(host), 9);
    memcpy(request + 5, host, 9);
    request[14] = (char)(fixture->port >> 8);
    request[15] = (char)fixture->port;
    say(fixture, slot, MUX_OPEN, NULL, 0);
    say(fixture, slot, MUX_DATA, "\5\1\0", 3);
    wait_for_bytes(fixture, slot, 2);
    assert_memory_equal(fixture->data[slot].data, "\5\0", 2);
    strbuf_release(&fixture->data[slot]);
    say(fixture, slot, MUX_DATA, request, 16);
}

static void expect_reply(struct fixture *fixture, unsigned slot, const char *reply)
{
    wait_for_bytes(fixture, slot, 10);
    assert_int_equal(fixture->data[slot].length, 10);
    assert_memory_equal(fixture->data[slot].data, reply, 10);
    strbuf_release(&fixture->data[slot]);
}

CASE_WITH(proxy__socks, begin_raw(fixture))
{
    int host;

    ask_by_socks(fixture, 0, "127.0.0.1");
    expect_reply(fixture, 0, "\5\0\0\1\0\0\0\0\0\0");
    host = accept_host(fixture);
    say_data(fixture, 0, "\5 up");
    expect_host(fixture, host, "\5 up");
    host_says(host, "down");
    expect_data(fixture, 0, "down");
    check_log(fixture, "127.0.0.1:PORT connected 1: 4 sent, 4 received\n");
    close(host);
}

/* The rules are those of other tunnels. */
CASE_WITH(proxy__socks_that_is_refused, begin(fixture))
{
    int host;

    ask_by_socks(fixture, 0, "localhost");
    expect_reply(fixture, 0, "\5\2\0\1\0\0\0\0\0\0");
    check_trace(fixture, "DATA 0 CLOSE 0 ");
    ask_by_socks(fixture, 1, "127.0.0.1"); /* without "raw" */
    expect_reply(fixture, 1, "\5\0\0\1\0\0\0\0\0\0");
    host = accept_host(fixture);
    say_data(fixture, 1, "GET / HTTP/1.1\r\n");
    wait_for(fixture, "CLOSE 1 ");
    expect_host_end(fixture, host);
    close(host);
    close(fixture->listener);
    ask_by_socks(fixture, 2, "127.0.0.1");
    expect_reply(fixture, 2, "\5\4\0\1\0\0\0\0\0\0");
    check_log(
        fixture,
        "localhost:PORT refused 1: 0 sent, 0 received: host 'localhost' is not on the list "
        "of allowed hosts\n"
        "127.0.0.1:PORT refused 1: 0 sent, 0 received: the tunnel to '127.0.0.1' carries what "
        "is not TLS, and the list does not say \"raw\"\n"
        "127.0.0.1:PORT failed 1: 0 sent, 0 received: cannot connect to '127.0.0.1' port "
        "PORT: Connection refused\n");
}

CASE_WITH(proxy__socks_that_is_not_valid, begin(fixture))
{
    say(fixture, 0, MUX_OPEN, NULL, 0);
    say(fixture, 0, MUX_DATA, "\5\1\2", 3); /* it wants a password */
    check_trace(fixture, "DATA 0 CLOSE 0 ");
    assert_int_equal(fixture->data[0].length, 2);
    assert_memory_equal(fixture->data[0].data, "\5\377", 2);
    say(fixture, 1, MUX_OPEN, NULL, 0);
    say(fixture, 1, MUX_DATA, "\5\1\0\5\2\0\1\177\0\0\1\0\120", 13); /* BIND */
    check_trace(fixture, "DATA 1 CLOSE 1 ");
    assert_int_equal(fixture->data[1].length, 12);
    assert_memory_equal(fixture->data[1].data, "\5\0\5\7\0\1\0\0\0\0\0\0", 12);
    say(fixture, 2, MUX_OPEN, NULL, 0);
    say(fixture, 2, MUX_DATA, "\5\1\0\5\1", 5);
    say(fixture, 2, MUX_END, NULL, 0);
    check_trace(fixture, "DATA 2 CLOSE 2 ");
    assert_memory_equal(fixture->data[2].data, "\5\0\5\1\0\1\0\0\0\0\0\0", 12);
    check_log(fixture,
              ":0 failed 1: 0 sent, 0 received: a request to the proxy is not valid: it wants a "
              "password\n"
              ":0 failed 1: 0 sent, 0 received: a request to the proxy is not valid: the proxy has "
              "no command of SOCKS but CONNECT\n"
              ":0 failed 1: 0 sent, 0 received: a request to the proxy is not complete\n");
}

/* ---- what is of no use */

/* Bytes that are refused or dropped count, and so does each connection. */
CASE_WITH(proxy__more_than_can_be_of_use, set_up(fixture))
{
    static char bytes[MUX_DATA_MAX];
    size_t rounds = 0;

    fixture->rules.max_bytes = 1;
    start(fixture);
    memset(bytes, '\1', sizeof bytes);
    while (fixture->log.count < 2 && rounds++ < 100000) {
        say(fixture, 0, MUX_OPEN, NULL, 0);
        for (int i = 0; i < MUX_WINDOW / MUX_DATA_MAX && fixture->log.count < 2; i++)
            say(fixture, 0, MUX_DATA, bytes, sizeof bytes);
        say(fixture, 0, MUX_CLOSE, NULL, 0);
        drain(fixture);
    }
    assert_in_range(rounds, (64 << 20) / (MUX_WINDOW + 2048), (64 << 20) / MUX_WINDOW);
    assert_string_equal(fixture->log.entries[1].reason,
                        "the program has made too many connections, or sent too much that was "
                        "refused, so all connections were ended");
}

/* Nothing is granted again after the end. */
CASE_WITH(proxy__grants_to_the_relay, begin(fixture))
{
    ask(fixture, 0, "GET /");
    assert_int_equal(mux_link_taken(fixture->link), 8 + 8 + 5);
    assert_int_equal(mux_link_taken(fixture->link), 0);
    say(fixture, 1, MUX_END, NULL, 0); /* is not open */
    assert_int_equal(mux_link_taken(fixture->link), 0);
}

/* The relay says once whether it listens. */
CASE_WITH(proxy__listens_twice, begin(fixture))
{
    say(fixture, 0, MUX_LISTENS, NULL, 0);
    assert_int_equal(fixture->log.count, 0);
    say(fixture, 0, MUX_LISTENS, NULL, 0);
    assert_int_equal(fixture->log.count, 1);
}

#include "tls_peers.h"

/* How responses come back, how they end, and many connections. */

#define FIELDS "a.test\0Authorization\0Bearer secret"
#define ASKED  "GET / HTTP/1.1\r\nHost: a.test\r\n\r\n"

CASE(tls_responses__half_close)
{
    struct peers peers = start_peers();
    struct host host = {.response = SAID, .response_length = strlen(SAID)};
    int fd;
    SSL *ssl;

    open_connection(peers.link, 1, 443, FIELDS, sizeof FIELDS, &fd, &host.fd);
    ssl = SSL_new(peers.program);
    SSL_set_fd(ssl, fd);
    assert_int_equal(SSL_connect(ssl), 1);
    send_text(ssl, ASKED);
    assert_int_equal(SSL_shutdown(ssl), 0);
    shutdown(fd, SHUT_WR);
    start_host(&host, &peers.authority, "DNS:a.test"); /* only now */
    check_response(ssl, PASSED);
    stop_host(&host);
    strbuf_release(&host.got);
    end_program(ssl, fd);
    stop_peers(&peers);
}

/* Without close_notify, the program must be able to see that the response may not be whole. */
CASE(tls_responses__cut)
{
    struct exchange exchange = {
        .host = {.response = SAID, .response_length = strlen(SAID) - 1, .end = HOST_CUTS}};
    CLEANUP(strbuf_release) struct strbuf text;

    begin_exchange(&exchange, 1, 443, FIELDS, sizeof FIELDS);
    send_text(exchange.ssl, ASKED);
    assert_false(read_response(exchange.ssl, &text));
    assert_string_equal(strbuf_string(&text),
                        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nh");
    stop_host(&exchange.host);
    end_exchange(&exchange);
}

/* A program that goes away while it waits ends the connection to the host. */
CASE(tls_responses__nobody_waits)
{
    struct peers peers = start_peers();
    struct host host = {.end = HOST_WAITS};
    int fd;
    SSL *ssl;

    open_connection(peers.link, 1, 443, FIELDS, sizeof FIELDS, &fd, &host.fd);
    start_host(&host, &peers.authority, "DNS:a.test");
    ssl = connect_program(peers.program, fd, "a.test");
    send_text(ssl, ASKED);
    end_program(ssl, fd);
    stop_host(&host);
    assert_true(host.got_end);
    strbuf_release(&host.got);
    stop_peers(&peers);
}

/* So does one that goes away while the host takes nothing of its request. */
CASE(tls_responses__program_goes_away_while_it_sends)
{
    struct peers peers = start_peers();
    struct host host = {.end = HOST_IS_DEAF};
    struct timeval moment = {.tv_usec = 300000};
    char bytes[16384] = "";
    int fd;
    SSL *ssl;

    open_connection(peers.link, 1, 443, FIELDS, sizeof FIELDS, &fd, &host.fd);
    start_host(&host, &peers.authority, "DNS:a.test");
    ssl = connect_program(peers.program, fd, "a.test");
    send_text(ssl, "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 999999999\r\n\r\n");
    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &moment, sizeof moment);
    while (SSL_write(ssl, bytes, sizeof bytes) > 0)
        continue;
    end_program(ssl, fd);
    stop_host(&host);
    assert_true(host.got_end);
    stop_peers(&peers);
}

/* Messages of TLS without data do not keep other connections waiting, and do not go on. */
CASE(tls_responses__flood_of_key_updates)
{
    struct peers peers = start_peers();
    struct host flooding = {.end = HOST_FLOODS};
    struct host host = {.response = SAID, .response_length = strlen(SAID)};
    CLEANUP(strbuf_release) struct strbuf response;
    int fd, other_fd;
    SSL *ssl, *other;

    open_connection(peers.link, 1, 443, FIELDS, sizeof FIELDS, &fd, &flooding.fd);
    start_host(&flooding, &peers.authority, "DNS:a.test");
    ssl = connect_program(peers.program, fd, "a.test");
    send_text(ssl, ASKED);
    open_connection(peers.link, 2, 443, FIELDS, sizeof FIELDS, &other_fd, &host.fd);
    start_host(&host, &peers.authority, "DNS:a.test");
    other = connect_program(peers.program, other_fd, "a.test");
    send_text(other, ASKED);
    check_response(other, PASSED);
    assert_true(read_response(ssl, &response));
    assert_non_null(strstr(response.data, "502 Bad Gateway: 'a.test' port 443 sends messages"));
    check_given_up(&peers, 1, 502, "'a.test' port 443 sends messages of TLS without data");
    stop_host(&flooding);
    stop_host(&host);
    strbuf_release(&flooding.got);
    strbuf_release(&host.got);
    end_program(ssl, fd);
    end_program(other, other_fd);
    stop_peers(&peers);
}

/* The host answers at once and ends; the body does not hide the response. */
CASE(tls_responses__before_the_body)
{
    struct exchange exchange = {
        .host = {
            .response = SAID, .response_length = strlen(SAID), .body = 1, .answers_first = true}};

    begin_exchange(&exchange, 1, 443, FIELDS, sizeof FIELDS);
    send_text(exchange.ssl,
              "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 99999\r\n\r\nstart");
    check_response(exchange.ssl, PASSED);
    stop_host(&exchange.host);
    end_exchange(&exchange);
}

enum { LARGE = 1 << 20 };

static char *make_large(const char *head, size_t *length)
{
    char *text = malloc(strlen(head) + LARGE + 1);

    *length = strlen(head) + LARGE;
    memcpy(text, head, strlen(head));
    for (size_t i = 0; i < LARGE; i++)
        text[strlen(head) + i] = (char)('a' + i * 7 % 26 + i / 4096 % 5);
    text[*length] = '\0';
    return text;
}

CASE(tls_responses__large)
{
    size_t asked, answered, passed;
    CLEANUP_FREE char *request =
        make_large("POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1048576\r\n\r\n", &asked);
    CLEANUP_FREE char *response = make_large("HTTP/1.1 200 OK\r\n\r\n", &answered);
    CLEANUP_FREE char *expected =
        make_large("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n", &passed);
    struct exchange exchange = {
        .host = {.response = response, .response_length = answered, .body = LARGE}};
    CLEANUP(strbuf_release) struct strbuf text;

    begin_exchange(&exchange, 1, 443, FIELDS, sizeof FIELDS);
    assert_int_equal(SSL_write(exchange.ssl, request, (int)asked), asked);
    assert_true(read_response(exchange.ssl, &text));
    assert_int_equal(text.length, passed);
    assert_memory_equal(text.data, expected, passed);
    stop_host(&exchange.host);
    assert_memory_equal(exchange.host.got.data + exchange.host.got.length - LARGE,
                        request + asked - LARGE, LARGE);
    end_exchange(&exchange);
}

enum { MANY = 20 };

/* All are open before the first one asks; the last one asks first. */
CASE(tls_responses__many_at_once)
{
    struct peers peers = start_peers();
    struct host hosts[MANY];
    SSL *programs[MANY];
    int fds[MANY];

    for (int i = 0; i < MANY; i++) {
        hosts[i] = (struct host){.response = SAID, .response_length = strlen(SAID)};
        open_connection(peers.link, (uint64_t)i, 443, FIELDS, sizeof FIELDS, &fds[i], &hosts[i].fd);
        start_host(&hosts[i], &peers.authority, "DNS:a.test");
    }
    for (int i = 0; i < MANY; i++)
        programs[i] = connect_program(peers.program, fds[i], "a.test");
    for (int i = MANY - 1; i >= 0; i--) {
        CLEANUP_FREE char *request = string_format("GET /%d HTTP/1.1\r\nHost: a.test\r\n\r\n", i);
        CLEANUP_FREE char *expected =
            string_format("GET /%d HTTP/1.1\r\nHost: a.test\r\nAuthorization: Bearer secret\r\n"
                          "Connection: close\r\n\r\n",
                          i);

        send_text(programs[i], request);
        check_response(programs[i], PASSED);
        stop_host(&hosts[i]);
        assert_string_equal(strbuf_string(&hosts[i].got), expected);
        strbuf_release(&hosts[i].got);
        end_program(programs[i], fds[i]);
    }
    stop_peers(&peers);
}

#include "tls_peers.h"

/* What a program asks for, and what the host gets of it. */

#define FIELDS "a.test\0Authorization\0Bearer secret"

/* Sends a request to a.test, which the host has to get like this. */
static void check_passed(const char *request, const char *expected)
{
    const char *end = strstr(expected, "\r\n\r\n");
    struct exchange exchange = {
        .host = {.response = SAID, .response_length = strlen(SAID), .body = strlen(end + 4)}};

    begin_exchange(&exchange, 7, 443, FIELDS, sizeof FIELDS);
    send_text(exchange.ssl, request);
    check_response(exchange.ssl, PASSED);
    stop_host(&exchange.host);
    assert_string_equal(strbuf_string(&exchange.host.got), expected);
    end_exchange(&exchange);
}

/* The host gets nothing of a request that is refused. */
static void check_refused(const char *request, int status, const char *name, const char *problem)
{
    CLEANUP_FREE char *why = string_format("a request to 'a.test' is not valid: %s", problem);
    CLEANUP_FREE char *response =
        string_format("HTTP/1.1 %d %s: %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n"
                      "Connection: close\r\n\r\nisolator: %s\n",
                      status, name, why, strlen(why) + strlen("isolator: \n"), why);
    struct exchange exchange = {.host = {.response = SAID, .response_length = strlen(SAID)}};

    begin_exchange(&exchange, 8, 443, FIELDS, sizeof FIELDS);
    send_text(exchange.ssl, request);
    check_response(exchange.ssl, response);
    check_given_up(&exchange.peers, 8, status, why);
    stop_host(&exchange.host);
    assert_string_equal(strbuf_string(&exchange.host.got), "");
    end_exchange(&exchange);
}

CASE(tls_requests__get_the_field)
{
    check_passed("GET /x?y HTTP/1.1\r\nHost: A.test\r\nAccept: */*\r\n\r\n",
                 "GET /x?y HTTP/1.1\r\nHost: a.test\r\nAuthorization: Bearer secret\r\n"
                 "Accept: */*\r\nConnection: close\r\n\r\n");
}

CASE(tls_requests__lose_their_own_field)
{
    check_passed("GET / HTTP/1.1\r\nHost: a.test:443\r\nauthorization: mine\r\n"
                 "Connection: Authorization\r\nX: y\r\n\r\n",
                 "GET / HTTP/1.1\r\nHost: a.test\r\nAuthorization: Bearer secret\r\nX: y\r\n"
                 "Connection: close\r\n\r\n");
}

CASE(tls_requests__names_with_underscores)
{
    static const char open[] = "a.test\0X-Api-Key\0one\0X-Two\0two";
    struct exchange exchange = {.host = {.response = SAID, .response_length = strlen(SAID)}};

    begin_exchange(&exchange, 7, 8443, open, sizeof open);
    send_text(exchange.ssl,
              "GET / HTTP/1.1\r\nHost: a.test:8443\r\nx_api_key: mine\r\nX_Two: 2\r\n\r\n");
    check_response(exchange.ssl, PASSED);
    stop_host(&exchange.host);
    assert_string_equal(strbuf_string(&exchange.host.got),
                        "GET / HTTP/1.1\r\nHost: a.test:8443\r\nX-Api-Key: one\r\nX-Two: two\r\n"
                        "Connection: close\r\n\r\n");
    end_exchange(&exchange);
}

CASE(tls_requests__drop_what_follows)
{
    check_passed("POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 3\r\n\r\nabc"
                 "GET /second HTTP/1.1\r\nHost: a.test\r\n\r\n",
                 "POST / HTTP/1.1\r\nHost: a.test\r\nAuthorization: Bearer secret\r\n"
                 "Content-Length: 3\r\nConnection: close\r\n\r\nabc");
}

CASE(tls_requests__chunks)
{
    check_passed("POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n\r\n"
                 "3\r\nabc\r\n0\r\n\r\nmore",
                 "POST / HTTP/1.1\r\nHost: a.test\r\nAuthorization: Bearer secret\r\n"
                 "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
}

CASE(tls_requests__other_hosts)
{
    check_refused("GET / HTTP/1.1\r\nHost: b.test\r\n\r\n", 400, "Bad Request",
                  "a Host that is not the host of the tunnel");
    check_refused("GET / HTTP/1.1\r\nHost: a.test:8443\r\n\r\n", 400, "Bad Request",
                  "a Host that is not the host of the tunnel");
    check_refused("GET / HTTP/1.1\r\nHost: a.test\r\nHost: a.test\r\n\r\n", 400, "Bad Request",
                  "two Host fields");
}

CASE(tls_requests__not_implemented)
{
    check_refused("TRACE / HTTP/1.1\r\nHost: a.test\r\n\r\n", 501, "Not Implemented",
                  "TRACE, whose response has all fields of the request");
    check_refused("GET / HTTP/1.1\r\nHost: a.test\r\nUpgrade: websocket\r\n\r\n", 501,
                  "Not Implemented", "Upgrade, which asks for another protocol than HTTP/1.1");
    check_refused("CONNECT b.test:443 HTTP/1.1\r\nHost: b.test\r\n\r\n", 501, "Not Implemented",
                  "CONNECT in a tunnel");
}

CASE(tls_requests__not_valid)
{
    check_refused("GET https://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n", 400, "Bad Request",
                  "a target that does not start with '/'");
    check_refused("POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 1\r\n"
                  "Transfer-Encoding: chunked\r\n\r\n",
                  400, "Bad Request", "both Content-Length and Transfer-Encoding");
}

/* The host has the head then, and sees the connection end. */
static void check_bad_chunks(const char *first, const char *then, bool is_passed)
{
    static const char why[] =
        "the body of a request to 'a.test' is not valid: it must be chunks of "
        "HTTP, without fields after them";
    CLEANUP(strbuf_release) struct strbuf response;
    struct exchange exchange = {.host = {.body = 1000, .end = HOST_CUTS}};

    begin_exchange(&exchange, 9, 443, FIELDS, sizeof FIELDS);
    send_text(exchange.ssl, first);
    send_text(exchange.ssl, then);
    assert_true(read_response(exchange.ssl, &response));
    if (!strstr(response.data, why) || strncmp(response.data, "HTTP/1.1 400 ", 13) != 0)
        fail_msg("%s", response.data);
    check_given_up(&exchange.peers, 9, 400, why);
    stop_host(&exchange.host);
    assert_true(exchange.host.got_end || !exchange.host.accepted);
    assert_true(is_passed || exchange.host.got.length == 0);
    end_exchange(&exchange);
}

CASE(tls_requests__bad_chunks)
{
    static const char head[] = "POST / HTTP/1.1\r\nHost: a.test\r\nTransfer-Encoding: chunked\r\n";
    CLEANUP_FREE char *whole = string_format("%s\r\n1\r\na\r\n", head);

    check_bad_chunks(whole, "x\r\n", true);
    check_bad_chunks(head, "\r\nx\r\n", false);
    check_bad_chunks(whole, "0\r\nAuthorization: mine\r\n\r\n", true);
}

CASE(tls_requests__cut_before_the_end)
{
    static const char why[] =
        "the program has ended a connection to 'a.test' before its request was complete";
    struct peers peers = start_peers();
    struct host host = {.end = HOST_WAITS, .body = 10};
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    int fd;
    SSL *ssl;

    open_connection(peers.link, 1, 443, FIELDS, sizeof FIELDS, &fd, &host.fd);
    start_host(&host, &peers.authority, "DNS:a.test");
    ssl = connect_program(peers.program, fd, "a.test");
    send_text(ssl, "GET / HTTP/1.1\r\nHost: a.te");
    end_program(ssl, fd);
    check_given_up(&peers, 1, 400, why);
    stop_host(&host);
    assert_string_equal(strbuf_string(&host.got), "");
    open_connection(peers.link, 2, 443, FIELDS, sizeof FIELDS, &fd, &host.fd);
    host.context = NULL;
    start_host(&host, &peers.authority, "DNS:a.test");
    ssl = connect_program(peers.program, fd, "a.test");
    send_text(ssl, "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 10\r\n\r\n12345");
    SSL_shutdown(ssl);
    assert_false(read_response(ssl, &text)); /* though it could still read */
    assert_int_equal(text.length, 0);
    stop_host(&host);
    assert_true(host.got_end);
    end_program(ssl, fd);
    strbuf_release(&host.got);
    stop_peers(&peers);
}

#include "test.h"

#include "network/http_request.h"

/* Requests in a tunnel to a host of https. */

static const struct http_field secret[] = {{"Authorization", "Bearer secret"}};
static const struct http_tunnel tunnel = {.host = "a", .port = 443, .fields = secret, 1};

/* Reads the head at once, and byte by byte, which must have the same result. */
static enum http_result read_head(const char *text, const struct http_tunnel *of,
                                  struct http_request *request, struct strbuf *rewritten)
{
    CLEANUP(strbuf_release) struct strbuf again = STRBUF_INIT;
    const size_t length = strlen(text);
    const enum http_result result =
        http_request_read_in_tunnel(text, length, of, request, rewritten);
    enum http_result part = HTTP_INCOMPLETE;
    struct http_request other;

    for (size_t have = 0; have <= length && part == HTTP_INCOMPLETE; have++) {
        CLEANUP_FREE char *copy = malloc(have + 1);

        memcpy(copy + 1, text, have);
        part = http_request_read_in_tunnel(copy + 1, have, of, &other, &again);
    }
    assert_int_equal(part, result);
    assert_string_equal(strbuf_string(&again), strbuf_string(rewritten));
    return result;
}

static struct http_request check_rewritten_for(const struct http_tunnel *of, const char *text,
                                               const char *expected)
{
    CLEANUP(strbuf_release) struct strbuf rewritten = STRBUF_INIT;
    struct http_request request;

    if (read_head(text, of, &request, &rewritten) != HTTP_GOOD)
        fail_msg("%d '%s' for '%s'", request.status, request.problem, text);
    assert_false(request.is_tunnel);
    assert_string_equal(request.host, of->host);
    assert_int_equal(request.port, of->port);
    assert_int_equal(request.head_length, strlen(text));
    assert_string_equal(strbuf_string(&rewritten), expected);
    return request;
}

static struct http_request check_rewritten(const char *text, const char *expected)
{
    return check_rewritten_for(&tunnel, text, expected);
}

static void check_refused(const char *text, int status, const char *problem)
{
    CLEANUP(strbuf_release) struct strbuf rewritten = STRBUF_INIT;
    struct http_request request;
    const enum http_result result = read_head(text, &tunnel, &request, &rewritten);

    if (result != HTTP_REFUSED)
        fail_msg("result %d for '%s'", result, text);
    if (request.status != status || strcmp(request.problem, problem) != 0)
        fail_msg("%d '%s' for '%s'", request.status, request.problem, text);
    assert_int_equal(rewritten.length, 0);
}

CASE(http_tunnel__gets_the_field)
{
    struct http_request request;

    check_rewritten("GET /x?y=z HTTP/1.1\r\nHost: A.:443\r\nAccept: */*\r\n\r\n",
                    "GET /x?y=z HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer secret\r\n"
                    "Accept: */*\r\nConnection: close\r\n\r\n");
    request = check_rewritten("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n",
                              "POST / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer secret\r\n"
                              "Content-Length: 3\r\nConnection: close\r\n\r\n");
    assert_int_equal(request.body, HTTP_BODY_LENGTH);
    assert_int_equal(request.content, 3);
    check_rewritten("GET / HTTP/1.0\r\n\r\n",
                    "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer secret\r\n"
                    "Connection: close\r\n\r\n");
}

CASE(http_tunnel__drops_those_of_the_program)
{
    static const struct http_field fields[] = {{"X-Api-Key", "s1"}, {"x_token", "s2"}};
    static const struct http_tunnel of = {.host = "a", .port = 443, .fields = fields, 2};

    check_rewritten("GET / HTTP/1.1\r\nHost: a\r\nauthorization: mine\r\nAUTHORIZATION: x\r\n"
                    "Authorization-Info: kept\r\nAuthorizatio: kept\r\n\r\n",
                    "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer secret\r\n"
                    "Authorization-Info: kept\r\nAuthorizatio: kept\r\nConnection: close\r\n\r\n");
    check_rewritten_for(&of,
                        "GET / HTTP/1.1\r\nHost: a\r\nX_Api-Key: 1\r\nx-api_key: 2\r\n"
                        "X-Token: 3\r\nX_TOKEN: 4\r\nXToken: kept\r\n\r\n",
                        "GET / HTTP/1.1\r\nHost: a\r\nX-Api-Key: s1\r\nx_token: s2\r\n"
                        "XToken: kept\r\nConnection: close\r\n\r\n");
}

CASE(http_tunnel__named_in_connection)
{
    check_rewritten("GET / HTTP/1.1\r\nHost: a\r\nConnection: Authorization, X-One\r\n"
                    "Authorization: mine\r\nX-One: 1\r\nclose: 2\r\n\r\n",
                    "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer secret\r\n"
                    "Connection: close\r\n\r\n");
}

CASE(http_tunnel__ports_and_addresses)
{
    static const struct http_tunnel port = {.host = "a.b", .port = 8443};
    static const struct http_tunnel address = {.host = "2001:db8::1", .port = 443};

    check_rewritten_for(&port, "GET / HTTP/1.1\r\nHost: A.b:8443\r\n\r\n",
                        "GET / HTTP/1.1\r\nHost: a.b:8443\r\nConnection: close\r\n\r\n");
    check_rewritten_for(&address, "GET / HTTP/1.1\r\nHost: [2001:DB8::1]\r\n\r\n",
                        "GET / HTTP/1.1\r\nHost: [2001:db8::1]\r\nConnection: close\r\n\r\n");
}

CASE(http_tunnel__other_hosts)
{
    static const char *const hosts[] = {"",     "b",    "a:80",    "a:8443", "a:443:443", "b.a",
                                        "a, b", "b@a",  "a/",      "a:",     "a:0443",    "[a]",
                                        "a\tb", "a%62", "127.0.1", "a b"};

    for (size_t i = 0; i < COUNT(hosts); i++) {
        CLEANUP_FREE char *text = string_format("GET / HTTP/1.1\r\nHost: %s\r\n\r\n", hosts[i]);

        check_refused(text, 400, "a Host that is not the host of the tunnel");
    }
    check_refused("GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400, "two Host fields");
    check_refused("GET / HTTP/1.1\r\n\r\n", 400, "no Host field");
}

CASE(http_tunnel__targets)
{
    static const char *const targets[] = {"https://a/", "http://a/", "a:443", "*", "?x", "x"};

    for (size_t i = 0; i < COUNT(targets); i++) {
        CLEANUP_FREE char *text = string_format("GET %s HTTP/1.1\r\nHost: a\r\n\r\n", targets[i]);

        check_refused(text, 400, "a target that does not start with '/'");
    }
    check_refused("GET /#x HTTP/1.1\r\nHost: a\r\n\r\n", 400, "a fragment in the target");
    check_rewritten("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n",
                    "OPTIONS * HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer secret\r\n"
                    "Connection: close\r\n\r\n");
    check_rewritten("OPTIONS / HTTP/1.1\r\nHost: a\r\n\r\n",
                    "OPTIONS / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer secret\r\n"
                    "Connection: close\r\n\r\n");
}

CASE(http_tunnel__methods)
{
    check_refused("CONNECT a:443 HTTP/1.1\r\nHost: a\r\n\r\n", 501, "CONNECT in a tunnel");
    check_refused("TRACE / HTTP/1.1\r\nHost: a\r\n\r\n", 501,
                  "TRACE, whose response has all fields of the request");
    check_refused("trace / HTTP/1.1\r\nHost: a\r\n\r\n", 501,
                  "TRACE, whose response has all fields of the request");
    check_refused("GET / HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUPGRADE: websocket\r\n\r\n",
                  501, "Upgrade, which asks for another protocol than HTTP/1.1");
}

/* What http_request_read() refuses too. */
CASE(http_tunnel__framing)
{
    check_refused("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n"
                  "Transfer-Encoding: chunked\r\n\r\n",
                  400, "both Content-Length and Transfer-Encoding");
    check_refused("GET / HTTP/1.1\r\nHost: a\r\nTransfer_Encoding: chunked\r\n\r\n", 400,
                  "a field that some servers take for Content-Length or Transfer-Encoding");
    check_refused("GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\ncontent_length: 2\r\n\r\n",
                  400, "a field that some servers take for Content-Length or Transfer-Encoding");
    check_refused("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n", 501,
                  "a transfer coding other than chunked");
    check_refused("GET / HTTP/1.1\r\nHost: a\r\nConnection: Host\r\n\r\n", 400,
                  "a Connection that names a field of the request");
    check_refused("GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n", 400, "a folded field");
    check_refused("GET / HTTP/1.1\nHost: a\n\n", 400, "a line that does not end with CR LF");
    check_refused("PRI * HTTP/2.0\r\n\r\n", 505, "a version other than HTTP/1.0 and HTTP/1.1");
    check_refused("\x16\x03\x01", 400, "not a request of HTTP");
}

CASE(http_tunnel__trailer)
{
    static const char bad[] = "1\r\nx\r\n0\r\nAuthorization: mine\r\n\r\n";
    static const char good[] = "1\r\nx\r\n0\r\n\r\n";
    const struct http_request request =
        check_rewritten("GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
                        "GET / HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer secret\r\n"
                        "Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
    struct http_body_reader reader;

    http_body_begin(&reader, &request);
    assert_int_equal(http_body_take(&reader, bad, strlen(bad)), -1);
    http_body_begin(&reader, &request);
    assert_int_equal(http_body_take(&reader, good, strlen(good)), strlen(good));
    assert_true(reader.ended);
}

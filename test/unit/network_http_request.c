#include "test.h"

#include "network/http_request.h"

/*
 * Reads the head at once, and byte by byte, which must have the same result. The bytes are copied,
 * so that a sanitizer sees a byte that is read after the last one.
 */
static enum http_result read_head(const char *text, size_t length, struct http_request *request,
                                  struct strbuf *rewritten)
{
    CLEANUP(strbuf_release) struct strbuf again = STRBUF_INIT;
    const enum http_result result = http_request_read(text, length, request, rewritten);
    enum http_result part = HTTP_INCOMPLETE;
    struct http_request other;

    for (size_t have = 0; have <= length && part == HTTP_INCOMPLETE; have++) {
        CLEANUP_FREE char *copy = malloc(have + 1);

        memcpy(copy + 1, text, have);
        part = http_request_read(copy + 1, have, &other, &again);
    }
    assert_int_equal(part, result);
    assert_string_equal(strbuf_string(&again), strbuf_string(rewritten));
    if (result == HTTP_GOOD) {
        assert_int_equal(other.is_tunnel, request->is_tunnel);
        assert_string_equal(other.host, request->host);
        assert_int_equal(other.port, request->port);
        assert_int_equal(other.head_length, request->head_length);
        assert_int_equal(other.body, request->body);
        assert_int_equal(other.content, request->content);
    } else if (result == HTTP_REFUSED) {
        assert_int_equal(other.status, request->status);
        assert_string_equal(other.problem, request->problem);
        assert_int_equal(rewritten->length, 0);
    }
    return result;
}

static void check_refused_bytes(const char *text, size_t length, int status, const char *problem)
{
    CLEANUP(strbuf_release) struct strbuf rewritten = STRBUF_INIT;
    struct http_request request;
    const enum http_result result = read_head(text, length, &request, &rewritten);

    if (result != HTTP_REFUSED)
        fail_msg("result %d for '%s'", result, text);
    if (request.status != status || strcmp(request.problem, problem) != 0)
        fail_msg("%d '%s' for '%s'", request.status, request.problem, text);
}

static void check_refused(const char *text, int status, const char *problem)
{
    check_refused_bytes(text, strlen(text), status, problem);
}

/* The head of a request of plain HTTP; what follows it is not part of it. */
static struct http_request check_rewritten(const char *text, const char *expected)
{
    CLEANUP(strbuf_release) struct strbuf rewritten = STRBUF_INIT;
    CLEANUP_FREE char *more = string_format("%sGET / HTTP/1.1\r\n\r\n", text);
    struct http_request request;

    if (read_head(more, strlen(more), &request, &rewritten) != HTTP_GOOD)
        fail_msg("%d '%s' for '%s'", request.status, request.problem, text);
    assert_false(request.is_tunnel);
    assert_int_equal(request.head_length, strlen(text));
    assert_string_equal(strbuf_string(&rewritten), expected);
    return request;
}

/* ---- tunnels */

static void check_tunnel(const char *text, const char *host, unsigned short port)
{
    CLEANUP(strbuf_release) struct strbuf rewritten = STRBUF_INIT;
    struct http_request request;

    if (read_head(text, strlen(text), &request, &rewritten) != HTTP_GOOD)
        fail_msg("%d '%s' for '%s'", request.status, request.problem, text);
    assert_true(request.is_tunnel);
    assert_string_equal(request.host, host);
    assert_int_equal(request.port, port);
    assert_int_equal(request.head_length, strlen(text));
    assert_int_equal(request.body, HTTP_BODY_NONE);
    assert_int_equal(rewritten.length, 0);
}

CASE(http_request__tunnels)
{
    check_tunnel("CONNECT example.com:443 HTTP/1.1\r\n\r\n", "example.com", 443);
    check_tunnel("CONNECT Example.COM.:65535 HTTP/1.0\r\n\r\n", "example.com", 65535);
    check_tunnel("CONNECT [2001:DB8::1]:1 HTTP/1.1\r\n\r\n", "2001:db8::1", 1);
    check_tunnel("CONNECT 192.0.2.1:22 HTTP/1.1\r\nHost: other\r\nUser-Agent: x\r\n\r\n",
                 "192.0.2.1", 22);
}

CASE(http_request__no_tunnels)
{
    static const char *const targets[] = {"example.com",
                                          "example.com:",
                                          "example.com:0",
                                          "example.com:65536",
                                          "example.com:443/",
                                          "http://a:443",
                                          "/",
                                          "*",
                                          "a@example.com:443",
                                          "example.com:443:443",
                                          "example.com:+443",
                                          "example.com:0443",
                                          "example.com:4x",
                                          ":443",
                                          "::1:443",
                                          "[::1]",
                                          "[::1]x:443",
                                          "[::1:443",
                                          "2130706433:443",
                                          "example.com:4294967739",
                                          "example.com:18446744073709551617"};

    for (size_t i = 0; i < COUNT(targets); i++) {
        CLEANUP_FREE char *text = string_format("CONNECT %s HTTP/1.1\r\n\r\n", targets[i]);

        check_refused(text, 400, "the target of CONNECT is not HOST:PORT");
    }
    check_refused("CONNECT a:443 HTTP/1.1\r\nContent-Length: 1\r\n\r\n", 400,
                  "CONNECT with a body");
    check_refused("CONNECT a:443 HTTP/1.1\r\ntransfer-encoding: chunked\r\n\r\n", 400,
                  "CONNECT with a body");
    check_refused("CONNECT a:443 HTTP/1.1\r\nHost : a\r\n\r\n", 400,
                  "a field whose name is not a token");
}

/* ---- plain HTTP */

CASE(http_request__rewritten)
{
    check_rewritten("GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n",
                    "GET / HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n");
    check_rewritten(
        "GET http://EXAMPLE.com.:80/a/../b?c=%20&d=/ HTTP/1.1\r\n"
        "Accept: */*\r\nhOST:\t Example.COM \r\nX-Empty: \t \r\nX-Bytes: \xff a\tb  \r\n\r\n",
        "GET /a/../b?c=%20&d=/ HTTP/1.1\r\nHost: example.com\r\n"
        "Accept: */*\r\nX-Empty: \r\nX-Bytes: \xff a\tb\r\nConnection: close\r\n\r\n");
    check_rewritten("M-SEARCH HTTP://a:8080 HTTP/1.1\r\nHost: a:8080\r\n\r\n",
                    "M-SEARCH / HTTP/1.1\r\nHost: a:8080\r\nConnection: close\r\n\r\n");
    check_rewritten("GET http://a?x=http://b HTTP/1.1\r\nHost: a\r\n\r\n",
                    "GET /?x=http://b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    check_rewritten("GET http://[2001:DB8::1]/x@y HTTP/1.1\r\nHost: [2001:db8:0::1]:80\r\n\r\n",
                    "GET /x@y HTTP/1.1\r\nHost: [2001:db8::1]\r\nConnection: close\r\n\r\n");
    check_rewritten("GET http://[::1]:81/ HTTP/1.1\r\nHost: [::1]:81\r\n\r\n",
                    "GET / HTTP/1.1\r\nHost: [::1]:81\r\nConnection: close\r\n\r\n");
}

CASE(http_request__options)
{
    check_rewritten("OPTIONS http://a HTTP/1.1\r\nHost: a\r\n\r\n",
                    "OPTIONS * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    check_rewritten("OPTIONS http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
                    "OPTIONS / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    check_rewritten("OPTIONS http://a?x HTTP/1.1\r\nHost: a\r\n\r\n",
                    "OPTIONS /?x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    check_rewritten("options http://a HTTP/1.1\r\nHost: a\r\n\r\n",
                    "options / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
}

/* In lower case it is another method, which makes no tunnel. */
CASE(http_request__connect_in_lower_case)
{
    check_rewritten("connect http://a/ HTTP/1.1\r\nHost: a\r\n\r\n",
                    "connect / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
}

CASE(http_request__old_version)
{
    struct http_request request;

    check_rewritten("GET http://a/ HTTP/1.0\r\n\r\n",
                    "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    request = check_rewritten(
        "POST http://a/ HTTP/1.0\r\nHost: a\r\nContent-Length: 3\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nConnection: close\r\n\r\n");
    assert_int_equal(request.body, HTTP_BODY_LENGTH);
    check_refused("GET http://a/ HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\n"
                  "Upgrade: WebSocket\r\n\r\n",
                  501, "a websocket needs a tunnel: CONNECT, then TLS unless the host is \"raw\"");
    check_refused("GET http://a/ HTTP/1.0\r\nHost: b\r\n\r\n", 400,
                  "a Host that is not the host of the target");
}

CASE(http_request__hop_by_hop)
{
    check_rewritten(
        "GET http://a/ HTTP/1.1\r\nHost: a\r\nConnection: keep-alive, X-One ,,x-two\r\n"
        "X-One: 1\r\nX-Three: 3\r\nKeep-Alive: timeout=5\r\nProxy-Connection: X-Three\r\n"
        "Proxy-Authorization: Basic eDp5\r\nTE: trailers\r\nUpgrade: h2c\r\n"
        "CONNECTION: X-FOURZ\r\nHTTP2-Settings: AAMAAABk\r\nX-Two: 2\r\nx-fourz: 4\r\n"
        "X-One-More: 5\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX-Three: 3\r\nX-One-More: 5\r\n"
        "Connection: close\r\n\r\n");
}

CASE(http_request__connection_names)
{
    static const char *const names[] = {"Host", "content-length", "close, Transfer-Encoding"};

    for (size_t i = 0; i < COUNT(names); i++) {
        CLEANUP_FREE char *text =
            string_format("GET http://a/ HTTP/1.1\r\nHost: a\r\nConnection: %s\r\n\r\n", names[i]);

        check_refused(text, 400, "a Connection that names a field of the request");
    }
    check_refused("GET http://a/ HTTP/1.1\r\nHost: a\r\nConnection: a b\r\n\r\n", 400,
                  "a Connection that is not a list of names");
}

CASE(http_request__framing)
{
    struct http_request request;

    request = check_rewritten("GET http://b.a/ HTTP/1.1\r\nHost: b.a\r\n\r\n",
                              "GET / HTTP/1.1\r\nHost: b.a\r\nConnection: close\r\n\r\n");
    assert_int_equal(request.body, HTTP_BODY_NONE);
    assert_string_equal(request.host, "b.a");
    assert_int_equal(request.port, 80);
    request =
        check_rewritten("PUT http://a:81/ HTTP/1.1\r\nHost: a:81\r\nContent-Length: 0\r\n\r\n",
                        "PUT / HTTP/1.1\r\nHost: a:81\r\nContent-Length: 0\r\n"
                        "Connection: close\r\n\r\n");
    assert_int_equal(request.body, HTTP_BODY_LENGTH);
    assert_int_equal(request.content, 0);
    assert_int_equal(request.port, 81);
    request = check_rewritten(
        "PUT http://a/ HTTP/1.1\r\nHost: a\r\nContent-Length: 9007199254740992\r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 9007199254740992\r\n"
        "Connection: close\r\n\r\n");
    assert_true(request.content == 9007199254740992ULL);
    request = check_rewritten(
        "PUT http://a/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED \r\n\r\n",
        "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: CHUNKED\r\nConnection: close\r\n\r\n");
    assert_int_equal(request.body, HTTP_BODY_CHUNKED);
}

/* ---- what is refused */

CASE(http_request__bad_lines)
{
    static const struct {
        const char *text, *problem;
    } rows[] = {
        {"\r\n", "not a request of HTTP"},
        {"\n", "not a request of HTTP"},
        {"\x16\x03\x01", "not a request of HTTP"},
        {" GET http://a/ HTTP/1.1", "not a request of HTTP"},
        {"GET http://a/ HTTP/1.0\n\n", "a line that does not end with CR LF"},
        {"G\n", "a line that does not end with CR LF"},
        {"GET http://a/ HTTP/1.0\r\nA: b\n\r\n\r\n", "a line that does not end with CR LF"},
        {"GET http://a/ HTTP/1.0\r\n\nA: b\r\n\r\n", "a line that does not end with CR LF"},
        {"GET\r\n\r\n", "not a request line of HTTP"},
        {"GET http://a/\r\n\r\n", "not a request line of HTTP"},
        {"GET  HTTP/1.1\r\n\r\n", "not a request line of HTTP"},
        {"GET  http://a/ HTTP/1.1\r\n\r\n", "not a request line of HTTP"},
        {"GET http://a/  HTTP/1.1\r\n\r\n", "not a request line of HTTP"},
        {"GET http://a/ HTTP/1.1 \r\n\r\n", "not a request line of HTTP"},
        {"GET http://a/ b HTTP/1.1\r\n\r\n", "not a request line of HTTP"},
        {"GET\thttp://a/\tHTTP/1.1\r\n\r\n", "not a request line of HTTP"},
        {"G(T http://a/ HTTP/1.1\r\n\r\n", "not a request line of HTTP"},
        {"GET http://a/ http/1.1\r\n\r\n", "not a request line of HTTP"},
        {"GET http://a/ HTTP/1,1\r\n\r\n", "not a request line of HTTP"},
        {"GET http://a/ HTTP/x.1\r\n\r\n", "not a request line of HTTP"},
        {"GET http://a/ HTTP/1.x\r\n\r\n", "not a request line of HTTP"},
        {"GET http://a/ HTTP/1.10\r\n\r\n", "not a request line of HTTP"},
        {"GET http://a/ HTTP/1.1\r\r\n\r\n", "not a request line of HTTP"},
        {"GET http://a/\xc3\xa4 HTTP/1.1\r\n\r\n",
         "a byte in the target that must be percent-encoded"},
        {"GET http://a/\x7f HTTP/1.1\r\n\r\n", "a byte in the target that must be percent-encoded"},
        {"GET http://a/\rX HTTP/1.1\r\n\r\n", "a byte in the target that must be percent-encoded"},
        {"GET http://a/\tX HTTP/1.1\r\n\r\n", "a byte in the target that must be percent-encoded"}};

    for (size_t i = 0; i < COUNT(rows); i++)
        check_refused(rows[i].text, 400, rows[i].problem);
    check_refused_bytes("G\0T http://a/ HTTP/1.1\r\n\r\n", 26, 400, "not a request line of HTTP");
    check_refused_bytes("GET http://a/\0 HTTP/1.1\r\n\r\n", 27, 400,
                        "a byte in the target that must be percent-encoded");
}

CASE(http_request__versions)
{
    static const char *const versions[] = {"0.9", "1.2", "2.0", "3.0", "0.0"};

    for (size_t i = 0; i < COUNT(versions); i++) {
        CLEANUP_FREE char *text =
            string_format("GET http://a/ HTTP/%s\r\nHost: a\r\n\r\n", versions[i]);

        check_refused(text, 505, "a version other than HTTP/1.0 and HTTP/1.1");
    }
    check_refused("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505,
                  "a version other than HTTP/1.0 and HTTP/1.1");
}

CASE(http_request__bad_targets)
{
    static const struct {
        const char *target, *problem;
    } rows[] = {{"/", "this is a proxy: the target has to be http://HOST/..."},
                {"//a/", "this is a proxy: the target has to be http://HOST/..."},
                {"*", "this is a proxy: the target has to be http://HOST/..."},
                {"https://a/", "https needs a tunnel: use CONNECT"},
                {"HTTPS://a/", "https needs a tunnel: use CONNECT"},
                {"ftp://a/", "a target that does not start with http://"},
                {"a:80", "a target that does not start with http://"},
                {"http:/a/", "a target that does not start with http://"},
                {"http:", "a target that does not start with http://"},
                {"http://a/#b", "a fragment in the target"},
                {"http://a#@b/", "a fragment in the target"},
                {"http://b@a/", "user information in the target"},
                {"http://b:c@a/", "user information in the target"},
                {"http://@a/", "user information in the target"},
                {"http://", "the target does not name a host and a port"},
                {"http:///", "the target does not name a host and a port"},
                {"http://?a", "the target does not name a host and a port"},
                {"http://:80/", "the target does not name a host and a port"},
                {"http://a:/", "the target does not name a host and a port"},
                {"http://a:0/", "the target does not name a host and a port"},
                {"http://a:65536/", "the target does not name a host and a port"},
                {"http://a:080/", "the target does not name a host and a port"},
                {"http://a\\b/", "the target does not name a host and a port"},
                {"http://a%2eb/", "the target does not name a host and a port"},
                {"http://127.1/", "the target does not name a host and a port"},
                {"http://::1/", "the target does not name a host and a port"}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        CLEANUP_FREE char *text =
            string_format("GET %s HTTP/1.1\r\nHost: a\r\n\r\n", rows[i].target);

        check_refused(text, 400, rows[i].problem);
    }
}

CASE(http_request__bad_fields)
{
    static const struct {
        const char *field;
        int status;
        const char *problem;
    } rows[] = {
        {" folded", 400, "a folded field"},
        {"A: b\r\n c", 400, "a folded field"},
        {"A: b\r\n\tc: d", 400, "a folded field"},
        {"A", 400, "a field without a colon"},
        {": b", 400, "a field whose name is not a token"},
        {"A : b", 400, "a field whose name is not a token"},
        {"A\t: b", 400, "a field whose name is not a token"},
        {"A\x80: b", 400, "a field whose name is not a token"},
        {"A\rB: c", 400, "a field whose name is not a token"},
        {"A(: b", 400, "a field whose name is not a token"},
        {"A: b\rC: d", 400, "a control character in a field"},
        {"A: b\r", 400, "a control character in a field"},
        {"A: \x01", 400, "a control character in a field"},
        {"A: \x7f", 400, "a control character in a field"},
        {"Transfer-Encoding: \x0b"
         "chunked",
         400, "a control character in a field"},
        {"Host: a", 400, "two Host fields"},
        {"Content-Length: 1\r\nContent-Length: 1", 400, "two Content-Length fields"},
        {"Content-Length: 1\r\nTransfer-Encoding: chunked", 400,
         "both Content-Length and Transfer-Encoding"},
        {"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", 400,
         "two Transfer-Encoding fields"},
        {"Transfer-Encoding: gzip", 501, "a transfer coding other than chunked"},
        {"Transfer-Encoding: gzip, chunked", 501, "a transfer coding other than chunked"},
        {"Transfer-Encoding: chunked, chunked", 501, "a transfer coding other than chunked"},
        {"Transfer-Encoding: chunked,", 501, "a transfer coding other than chunked"},
        {"Transfer-Encoding: \"chunked\"", 501, "a transfer coding other than chunked"},
        {"Transfer-Encoding: identity", 501, "a transfer coding other than chunked"},
        {"Transfer-Encoding: xchunked", 501, "a transfer coding other than chunked"},
        {"Transfer-Encoding:", 501, "a transfer coding other than chunked"}};

    for (size_t i = 0; i < COUNT(rows); i++) {
        CLEANUP_FREE char *text =
            string_format("GET http://a/ HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n", rows[i].field);

        check_refused(text, rows[i].status, rows[i].problem);
    }
    check_refused_bytes("GET http://a/ HTTP/1.0\r\nA: \0\r\n\r\n", 32, 400,
                        "a control character in a field");
    check_refused("GET http://a/ HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400,
                  "Transfer-Encoding in HTTP/1.0");
}

CASE(http_request__bad_lengths)
{
    static const char *const lengths[] = {"",
                                          "-1",
                                          "+1",
                                          "1 1",
                                          "1,1",
                                          "0x1",
                                          "01",
                                          "00",
                                          "1a",
                                          "9007199254740993",
                                          "18446744073709551616",
                                          "99999999999999999999999999999999"};

    for (size_t i = 0; i < COUNT(lengths); i++) {
        CLEANUP_FREE char *text = string_format(
            "GET http://a/ HTTP/1.1\r\nHost: a\r\nContent-Length: %s\r\n\r\n", lengths[i]);

        check_refused(text, 400, "a Content-Length that is not a number, or is too large");
    }
}

CASE(http_request__bad_hosts)
{
    static const char *const hosts[] = {"",    "b",   "a:81", "a, a", "a:",  "a/",
                                        "b@a", "a a", "[a]",  "a.b",  "a:0", "http://a"};

    for (size_t i = 0; i < COUNT(hosts); i++) {
        CLEANUP_FREE char *text =
            string_format("GET http://a/ HTTP/1.1\r\nHost: %s\r\n\r\n", hosts[i]);

        check_refused(text, 400, "a Host that is not the host of the target");
    }
    check_refused("GET http://a/ HTTP/1.1\r\n\r\n", 400, "no Host field");
    check_refused("GET http://a:81/ HTTP/1.1\r\nHost: a\r\n\r\n", 400,
                  "a Host that is not the host of the target");
}

CASE(http_request__incomplete)
{
    CLEANUP(strbuf_release) struct strbuf rewritten = STRBUF_INIT;
    struct http_request request;
    static const char *const texts[] = {"", "G", "GET http://a/ HTTP/1.1\r\n",
                                        "GET http://a/ HTTP/1.1\r\nHost: a\r\n\r",
                                        "GET http://a/ HTTP/1.1\r\nHost: a\r\n\rX"};

    for (size_t i = 0; i < COUNT(texts); i++)
        assert_int_equal(read_head(texts[i], strlen(texts[i]), &request, &rewritten),
                         HTTP_INCOMPLETE);
    assert_int_equal(rewritten.length, 0);
}

/* Adds to a head until it has this length, with its end. */
static char *head_of(size_t length)
{
    struct strbuf text = STRBUF_INIT;

    strbuf_addstr(&text, "GET http://a/ HTTP/1.1\r\nHost: a\r\nX: ");
    while (text.length < length - 4)
        strbuf_addch(&text, 'x');
    strbuf_addstr(&text, "\r\n\r\n");
    return strbuf_steal(&text);
}

CASE(http_request__longest_head)
{
    CLEANUP(strbuf_release) struct strbuf rewritten = STRBUF_INIT;
    CLEANUP_FREE char *longest = head_of(32768), *longer = head_of(32769), *end = NULL;
    struct http_request request;

    assert_int_equal(read_head(longest, 32768, &request, &rewritten), HTTP_GOOD);
    assert_int_equal(request.head_length, 32768);
    check_refused(longer, 431, "a head of more than 32 KB");
    assert_int_equal(http_request_read(longer, 32767, &request, &rewritten), HTTP_INCOMPLETE);
    end = string_format("%s\n", longer); /* a bare LF after what is read */
    check_refused(end, 431, "a head of more than 32 KB");
}

CASE(http_request__field_count)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    CLEANUP(strbuf_release) struct strbuf rewritten = STRBUF_INIT;
    struct http_request request;

    strbuf_addstr(&text, "GET http://a/ HTTP/1.0\r\n");
    for (int i = 0; i < 128; i++)
        strbuf_addstr(&text, "A: b\r\n");
    strbuf_addstr(&text, "\r\n");
    assert_int_equal(read_head(text.data, text.length, &request, &rewritten), HTTP_GOOD);
    text.length -= 2;
    strbuf_addstr(&text, "A: b\r\n\r\n");
    check_refused(text.data, 431, "too many fields");
}

/* The end of a head is found wherever its bytes are. */
CASE(http_request__ends)
{
    CLEANUP(strbuf_release) struct strbuf rewritten = STRBUF_INIT;
    struct http_request request;
    char text[80];

    for (int i = 0; i < 8; i++) {
        const int length = snprintf(text, sizeof text, "GET http://a/%.*s HTTP/1.0\r\n\r\n\r\n\r\n",
                                    i, "xxxxxxxx");

        assert_int_equal(read_head(text, (size_t)length, &request, &rewritten), HTTP_GOOD);
        assert_int_equal(request.head_length, length - 4);
        strbuf_release(&rewritten);
    }
}

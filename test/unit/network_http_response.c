#include "test.h"

#include "network/http_response.h"

/* Passes the text in pieces of each size. */
static void check_passed(const char *text, const char *expected)
{
    const size_t length = strlen(text);

    for (size_t step = 1; step <= length; step++) {
        CLEANUP(strbuf_release) struct strbuf passed = STRBUF_INIT;
        struct http_response response = {.is_passed = false};

        for (size_t at = 0; at < length; at += step)
            http_response_pass(&response, text + at, length - at < step ? length - at : step,
                               &passed);
        assert_string_equal(strbuf_string(&passed), expected);
    }
}

CASE(http_response__says_that_the_connection_ends)
{
    check_passed("HTTP/1.1 200 OK\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\n",
                 "HTTP/1.1 200 OK\r\nConnection: close\r\nA: b\r\n\r\nHTTP/1.1 200 OK\r\n");
    check_passed("HTTP/1.0 404 \nConnection: keep-alive\n\n",
                 "HTTP/1.0 404 \nConnection: close\r\nConnection: keep-alive\n\n");
    check_passed("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                 "HTTP/1.1 204 No Content\r\n\r\n",
                 "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"
                 "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n");
}

CASE(http_response__another_protocol_is_as_it_is)
{
    check_passed("hello\r\nHTTP/1.1 200 OK\r\n", "hello\r\nHTTP/1.1 200 OK\r\n");
    check_passed("HTTP/2.0 200 OK\r\n", "HTTP/2.0 200 OK\r\n");
    check_passed("HTTP/1.1 101 Switching Protocols\r\n\r\n\x81\r\n",
                 "HTTP/1.1 101 Switching Protocols\r\n\r\n\x81\r\n");
    check_passed("\n", "\n");
}

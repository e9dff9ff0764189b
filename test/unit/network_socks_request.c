#include "test.h"

#include "network/socks_request.h"

/* What has NULs has its length. */
#define BYTES(literal) (literal), sizeof(literal) - 1

CASE(socks_request__greetings)
{
    static const struct {
        const char *bytes;
        size_t length;
        enum socks_result result;
        size_t taken;
    } greetings[] = {
        {BYTES("\5\1\0"), SOCKS_GOOD, 3},       {BYTES("\5\3\2\1\0more"), SOCKS_GOOD, 5},
        {BYTES("\5\1\2"), SOCKS_REFUSED, 3},    {BYTES("\5\0"), SOCKS_REFUSED, 2},
        {BYTES("\5\0\0"), SOCKS_REFUSED, 2},    {BYTES("\5"), SOCKS_INCOMPLETE, 0},
        {BYTES("\5\2\0"), SOCKS_INCOMPLETE, 0},
    };

    for (size_t i = 0; i < COUNT(greetings); i++) {
        size_t taken = 0;

        assert_int_equal(socks_read_greeting(greetings[i].bytes, greetings[i].length, &taken),
                         greetings[i].result);
        assert_int_equal(taken, greetings[i].taken);
    }
}

static void check_good(const char *bytes, size_t length, const char *host, unsigned port)
{
    struct socks_request request;

    assert_int_equal(socks_read_request(bytes, length, &request), SOCKS_GOOD);
    assert_string_equal(request.host, host);
    assert_int_equal(request.port, port);
    assert_int_equal(request.length, length);
    for (size_t i = 0; i < length; i++)
        assert_int_equal(socks_read_request(bytes, i, &request), SOCKS_INCOMPLETE);
    {
        CLEANUP(strbuf_release) struct strbuf more = STRBUF_INIT;

        strbuf_add(&more, bytes, length);
        strbuf_addstr(&more, "more");
        assert_int_equal(socks_read_request(more.data, more.length, &request), SOCKS_GOOD);
        assert_int_equal(request.length, length);
    }
}

CASE(socks_request__names_and_addresses)
{
    check_good(BYTES("\5\1\0\3\13Example.COM\1\273"), "example.com", 443);
    check_good(BYTES("\5\1\0\3\14example.com.\0\120"), "example.com", 80);
    check_good(BYTES("\5\1\0\1\300\0\2\1\377\377"), "192.0.2.1", 65535);
    check_good(BYTES("\5\1\0\3\011192.0.2.1\0\1"), "192.0.2.1", 1);
    check_good(BYTES("\5\1\0\4 \1\r\270\0\0\0\0\0\0\0\0\0\0\0\1\37\220"), "2001:db8::1", 8080);
    check_good(BYTES("\5\1\0\4\0\0\0\0\0\0\0\0\0\0\377\377\177\0\0\1\0\120"), "::ffff:127.0.0.1",
               80);
}

CASE(socks_request__refused)
{
    static const struct {
        const char *bytes;
        size_t length;
        int status;
        const char *problem;
    } refused[] = {
        {BYTES("\4\1\0\3\1a"), 400, "it is not SOCKS 5"},
        {BYTES("\5\1\1\3\1a"), 400, "it is not SOCKS 5"},
        {BYTES("\5\1\0\2\1a"), 400, "it is not SOCKS 5"},
        {BYTES("\5\2\0\3\1a\0\120"), 501, "the proxy has no command of SOCKS but CONNECT"},
        {BYTES("\5\3\0\1\300\0\2\1\0\120"), 501, "the proxy has no command of SOCKS but CONNECT"},
        {BYTES("\5\1\0\3\1a\0\0"), 400, "it does not name a host and a port"},
        {BYTES("\5\1\0\3\0\0\120"), 400, "it does not name a host and a port"},
        {BYTES("\5\1\0\3\3a\0b\0\120"), 400, "it does not name a host and a port"},
        {BYTES("\5\1\0\3\3a b\0\120"), 400, "it does not name a host and a port"},
        {BYTES("\5\1\0\3\5[::1]\0\120"), 400, "it does not name a host and a port"},
        {BYTES("\5\1\0\3\0062130706433\0\120"), 400, "it does not name a host and a port"},
        {BYTES("\5\1\0\3\0060x7f.1\0\120"), 400, "it does not name a host and a port"},
    };

    for (size_t i = 0; i < COUNT(refused); i++) {
        struct socks_request request;

        assert_int_equal(socks_read_request(refused[i].bytes, refused[i].length, &request),
                         SOCKS_REFUSED);
        assert_int_equal(request.status, refused[i].status);
        assert_string_equal(request.problem, refused[i].problem);
    }
}

CASE(socks_request__replies)
{
    unsigned char reply[SOCKS_REPLY_SIZE];

    socks_write_reply(reply, SOCKS_NOT_ALLOWED);
    assert_memory_equal(reply, "\5\2\0\1\0\0\0\0\0\0", SOCKS_REPLY_SIZE);
}

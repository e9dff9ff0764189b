#include "test.h"

#include "network/http_request.h"

static const struct http_request chunked = {.body = HTTP_BODY_CHUNKED};

/* Reads pieces of this size. Returns the length of the body; -1: they are not chunks. */
static long take_pieces(const char *bytes, size_t length, size_t step, bool *ended)
{
    struct http_body_reader reader;
    long all = 0, taken;

    http_body_begin(&reader, &chunked);
    for (size_t at = 0; at < length && !reader.ended; at += step) {
        const size_t size = length - at < step ? length - at : step;

        taken = http_body_take(&reader, bytes + at, size);
        if (taken < 0) {
            assert_int_equal(http_body_take(&reader, "0\r\n\r\n", 5), -1); /* from now on */
            return -1;
        }
        assert_true(reader.ended || (size_t)taken == size);
        all += taken;
    }
    *ended = reader.ended;
    if (reader.ended)
        assert_int_equal(http_body_take(&reader, "more", 4), 0);
    return all;
}

/* Reads at once, and byte by byte, which must have the same result. */
static long take(const char *bytes, size_t length, bool *ended)
{
    bool again = false;
    long result;

    *ended = false;
    result = take_pieces(bytes, length, length, ended);
    assert_int_equal(take_pieces(bytes, length, 1, &again), result);
    assert_int_equal(again, *ended);
    return result;
}

CASE(http_body__chunks)
{
    static const char *const bodies[] = {"0\r\n\r\n",
                                         "000\r\n\r\n",
                                         "5\r\nhello\r\n0\r\n\r\n",
                                         "A\r\n0123456789\r\n00b\r\n0123456789\n\r\n0\r\n\r\n",
                                         "2\r\n\r\n\r\n0\r\n\r\n",
                                         "1;name=value;other=\"a b\"\r\nx\r\n0;last\r\n\r\n",
                                         "1\r\nx\r\n0\r\nETag: \"a\"\r\nX-Empty:\r\n\r\n",
                                         "0000000000000001\r\nx\r\n0\r\n\r\n"};
    bool ended;

    for (size_t i = 0; i < COUNT(bodies); i++) {
        CLEANUP_FREE char *more = string_format("%s0\r\n\r\n", bodies[i]);
        const long taken = take(more, strlen(more), &ended);

        if (taken != (long)strlen(bodies[i]) || !ended)
            fail_msg("%ld bytes of '%s'", taken, bodies[i]);
        assert_int_equal(take(bodies[i], strlen(bodies[i]) - 1, &ended), strlen(bodies[i]) - 1);
        assert_false(ended);
    }
}

CASE(http_body__no_chunks)
{
    static const char *const bad[] = {"\r\n",
                                      "x",
                                      ";",
                                      " 1",
                                      "-1",
                                      "+1",
                                      "0x1",
                                      "1 \r\n",
                                      "1\t;a",
                                      "1\n",
                                      "1\r\r",
                                      "1\rx",
                                      "1;a\n",
                                      "1;a\rb",
                                      "1;a\x01",
                                      "1;a\x7f",
                                      "1\r\nxy",
                                      "1\r\nx\n",
                                      "1\r\nx\rx",
                                      "1\r\nx\r\n\r\n",
                                      "0\r\n\n",
                                      "0\r\n\rx",
                                      "0\r\n a: b",
                                      "0\r\na\r\n",
                                      "0\r\n: b",
                                      "0\r\na : b",
                                      "0\r\na: b\n",
                                      "0\r\na: b\rc",
                                      "0\r\na: \x01",
                                      "0\r\na: b\r\n c",
                                      "00000000000000001",
                                      "20000000000001",
                                      "ffffffffffffffff",
                                      "10000000000000000"};
    bool ended;

    for (size_t i = 0; i < COUNT(bad); i++)
        if (take(bad[i], strlen(bad[i]), &ended) != -1)
            fail_msg("'%s' is taken", bad[i]);
    assert_int_equal(take("1;\0", 3, &ended), -1);
    assert_int_equal(take("0\r\na:\0", 6, &ended), -1);
}

/* A chunk of 2^53 bytes is the largest. */
CASE(http_body__largest_chunk)
{
    struct http_body_reader reader;

    http_body_begin(&reader, &chunked);
    assert_int_equal(http_body_take(&reader, "20000000000000\r\nxx", 18), 18);
    assert_true(reader.left == 9007199254740990ULL);
    assert_false(reader.ended);
}

/* Returns the result for PREFIX, `count` bytes, SUFFIX. */
static long take_long(const char *prefix, size_t count, const char *suffix)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    bool ended;
    long taken;

    strbuf_addstr(&text, prefix);
    for (size_t i = 0; i < count; i++)
        strbuf_addch(&text, 'x');
    strbuf_addstr(&text, suffix);
    taken = take(text.data, text.length, &ended);
    assert_int_equal(ended, taken >= 0);
    return taken;
}

/* A line has 1024 bytes with its CR, and the fields at the end 8192 with all line ends. */
CASE(http_body__limits)
{
    assert_int_equal(take_long("0;", 1021, "\r\n\r\n"), 1027);
    assert_int_equal(take_long("0;", 1022, "\r\n\r\n"), -1);
    assert_int_equal(take_long("1\r\nx\r\n0;", 1021, "\r\n\r\n"), 1033);
    assert_int_equal(take_long("0\r\na:", 8186, "\r\n\r\n"), 8195);
    assert_int_equal(take_long("0\r\na:", 8187, "\r\n\r\n"), -1);
    assert_int_equal(take_long("0\r\na:b\r\nc:", 8181, "\r\n\r\n"), 8195);
    assert_int_equal(take_long("0\r\na:b\r\nc:", 8182, "\r\n\r\n"), -1);
}

CASE(http_body__length)
{
    const struct http_request request = {.body = HTTP_BODY_LENGTH, .content = 5};
    struct http_body_reader reader;

    http_body_begin(&reader, &request);
    assert_false(reader.ended);
    assert_int_equal(http_body_take(&reader, "he", 2), 2);
    assert_int_equal(http_body_take(&reader, "", 0), 0);
    assert_false(reader.ended);
    assert_int_equal(http_body_take(&reader, "lloGET", 6), 3);
    assert_true(reader.ended);
    assert_int_equal(http_body_take(&reader, "GET", 3), 0);
}

CASE(http_body__without_bytes)
{
    const struct http_request none = {.body = HTTP_BODY_NONE, .content = 5};
    const struct http_request empty = {.body = HTTP_BODY_LENGTH, .content = 0};
    struct http_body_reader reader;

    http_body_begin(&reader, &none);
    assert_true(reader.ended);
    assert_int_equal(http_body_take(&reader, "GET", 3), 0);
    http_body_begin(&reader, &empty);
    assert_true(reader.ended);
    assert_int_equal(http_body_take(&reader, "GET", 3), 0);
}

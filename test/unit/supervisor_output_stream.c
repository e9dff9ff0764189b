#include "test.h"

#include "base/loop.h"
#include "supervisor/output_stream.h"

/* The streams of whole programs are in supervisor_supervise.c and supervisor_script.c. */

static void turn(struct output_stream *stream, bool gathers, int expected_ms)
{
    struct loop loop = LOOP_INIT;

    output_stream_watch(stream, &loop, gathers);
    assert_int_equal(loop.wait_ms, expected_ms);
    loop_limit(&loop, 0);
    assert_int_equal(loop_wait(&loop), 0);
}

static uint64_t now_us;

static uint64_t clock_of_test(void)
{
    return now_us;
}

/* Gathers once 64 pieces of few bytes have come in a row, up to so long; not after such a pause. */
static void check_gathering(const char *key, uint64_t gather_us, uint64_t pause_us)
{
    enum { GATHER_AFTER = 64, MANY = 4096 };
    static const char bytes[MANY];
    static struct frame_link link;
    const int gather_ms = (int)(gather_us / 1000);
    struct output_stream stream;
    int ends[2];
    uint64_t sent = 0;

    assert_int_equal(pipe(ends), 0);
    frame_link_init(&link, -1, -1, key);
    assert_true(key || frame_link_grant(&link, FRAME_STDOUT, 1000000));
    output_stream_init(&stream, &link, CHANNEL_STDOUT, &ends[0]);
    output_stream_begin(&stream, UINT64_MAX);
    stream.clock_us = clock_of_test;
    now_us = 1000000000;
    for (int round = 0; round < 3; round++) {
        now_us += pause_us + 1; /* so the first piece is none of a row */
        for (int i = 0; i <= GATHER_AFTER; i++) {
            assert_int_equal(write(ends[1], bytes, 1), 1);
            turn(&stream, true, -1);
            assert_int_equal(stream.written, ++sent);
            link.out_first = link.out_filled; /* as if it was written */
            now_us += i < GATHER_AFTER ? pause_us : 0;
        }
        /* Now ten pieces become one. */
        for (int i = 0; i < 10; i++) {
            assert_int_equal(write(ends[1], bytes, 1), 1);
            turn(&stream, true, gather_ms - i * gather_ms / 10);
            assert_int_equal(stream.written, sent);
            now_us += gather_us / 10;
        }
        turn(&stream, true, -1);
        assert_int_equal(stream.written, sent += 10);
        link.out_first = link.out_filled;
        /* At the end nothing waits, and many bytes end the row. */
        assert_int_equal(write(ends[1], bytes, 1), 1);
        turn(&stream, true, gather_ms);
        turn(&stream, false, -1);
        assert_int_equal(stream.written, ++sent);
        link.out_first = link.out_filled;
        now_us += gather_us;
        assert_int_equal(write(ends[1], bytes, MANY), MANY);
        turn(&stream, true, -1);
        assert_int_equal(stream.written, sent += MANY);
        link.out_first = link.out_filled;
        assert_int_equal(write(ends[1], bytes, 1), 1);
        turn(&stream, true, -1);
        assert_int_equal(stream.written, ++sent);
        link.out_first = link.out_filled;
    }
    close(ends[0]);
    close(ends[1]);
}

CASE(output_stream__gathers_small_pieces)
{
    check_gathering(NULL, 2000, 10000);
}

/* In a script each piece is a line, so they gather for longer. */
CASE(output_stream__gathers_longer_in_script)
{
    check_gathering("name", 100000, 500000);
}

/* After so many small pieces of a script no other one is sent while the program runs. */
CASE(output_stream__bounds_small_pieces)
{
    enum { SMALL_MAX = 16384 };
    static const char bytes[1024];
    static struct frame_link link;
    struct output_stream stream;
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    frame_link_init(&link, -1, -1, "name");
    output_stream_init(&stream, &link, CHANNEL_STDOUT, &ends[0]);
    assert_true(output_stream_limit(&stream, UINT64_MAX, 0));
    output_stream_begin(&stream, UINT64_MAX);
    for (int i = 0; i < SMALL_MAX; i++) {
        assert_int_equal(write(ends[1], bytes, 1023), 1023);
        turn(&stream, false, -1);
        assert_int_equal(stream.written, (i + 1) * 1023);
        link.out_first = link.out_filled; /* as if it was written */
    }
    stream.reads = 0; /* and not because they come fast */
    assert_int_equal(write(ends[1], bytes, 1023), 1023);
    turn(&stream, true, 100);
    assert_int_equal(stream.written, SMALL_MAX * 1023);
    assert_int_equal(write(ends[1], bytes, 1), 1);
    turn(&stream, true, -1); /* now they are many */
    assert_int_equal(stream.written, SMALL_MAX * 1023 + 1024);
    assert_int_equal(write(ends[1], bytes, 1), 1);
    stream.reads = 0;
    turn(&stream, true, 100);
    turn(&stream, false, -1); /* at the end */
    assert_int_equal(stream.written, SMALL_MAX * 1023 + 1025);
    /* The next program begins again. */
    output_stream_begin(&stream, UINT64_MAX);
    assert_int_equal(write(ends[1], bytes, 1), 1);
    turn(&stream, true, -1);
    assert_int_equal(stream.written, 1);
    close(ends[0]);
    close(ends[1]);
}

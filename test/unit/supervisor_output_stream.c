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

/* After so many small pieces of a script no other one is sent while the program runs. */
static void output_stream__bounds_small_pieces(void **state)
{
    enum { SMALL_MAX = 16384 };
    static const char bytes[1024];
    static struct frame_link link;
    struct output_stream stream;
    int ends[2];

    (void)state;
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

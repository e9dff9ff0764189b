#define _GNU_SOURCE
#include "test.h"

#include <errno.h>
#include <signal.h>

#include "supervisor/frame_header.h"
#include "supervisor/frame_link.h"

/* A link between two pipes. */
struct fixture {
    struct frame_link link;
    int in, out; /* the other ends */
};

static void set_up(struct fixture *fixture)
{
    int in[2], out[2];

    assert_int_equal(pipe(in), 0);
    assert_int_equal(pipe(out), 0);
    for (int i = 0; i < 2; i++) {
        fcntl(in[i], F_SETFL, O_NONBLOCK);
        fcntl(out[i], F_SETFL, O_NONBLOCK);
    }
    memset(&fixture->link, 'x', sizeof fixture->link);
    frame_link_init(&fixture->link, in[0], out[1], NULL);
    fixture->in = in[1];
    fixture->out = out[0];
}

static void tear_down(struct fixture *fixture)
{
    close(fixture->link.in);
    close(fixture->link.out);
    close(fixture->in);
    close(fixture->out);
}

static void put(struct fixture *fixture, const void *bytes, size_t length)
{
    assert_int_equal(write(fixture->in, bytes, length), length);
}

CASE_WITH(frame_link__reads_frames, set_up(fixture))
{
    struct frame frame;

    assert_true(frame_link_read(&fixture->link)); /* there is nothing */
    assert_int_equal(frame_link_next(&fixture->link, &frame), 0);
    put(fixture, "\3\0\0\0\5\0\0\0abc\0\0\0\0\6\0\0\0\1\0\0", 22);
    assert_true(frame_link_read(&fixture->link));
    assert_int_equal(frame_link_next(&fixture->link, &frame), 1);
    assert_int_equal(frame.type, FRAME_STDIN);
    assert_int_equal(frame.length, 3);
    assert_memory_equal(frame.payload, "abc", 3);
    assert_int_equal(frame_link_next(&fixture->link, &frame), 1);
    assert_int_equal(frame.type, FRAME_STDIN_END);
    assert_int_equal(frame.length, 0);
    assert_int_equal(frame_link_next(&fixture->link, &frame), 0);
    put(fixture, "\0\1\0\0\0z", 6);
    assert_true(frame_link_read(&fixture->link));
    assert_int_equal(frame_link_next(&fixture->link, &frame), 1);
    assert_int_equal(frame.type, 1);
    assert_int_equal(frame.length, 1);
    assert_memory_equal(frame.payload, "z", 1);
}

CASE_WITH(frame_link__reads_byte_by_byte, set_up(fixture))
{
    static const char bytes[] = "\2\0\0\0\5\0\0\0ab\1\0\0\0\5\0\0\0c";
    struct strbuf got = STRBUF_INIT;
    struct frame frame;

    for (size_t i = 0; i < sizeof bytes - 1; i++) {
        put(fixture, bytes + i, 1);
        assert_true(frame_link_read(&fixture->link));
        while (frame_link_next(&fixture->link, &frame) == 1) {
            strbuf_add(&got, frame.payload, frame.length);
            strbuf_addch(&got, ';');
        }
    }
    assert_string_equal(strbuf_string(&got), "ab;c;");
    strbuf_release(&got);
}

/* Many frames of the largest size, one after the other, with a small one in front of each. */
CASE_WITH(frame_link__longest_frames, set_up(fixture))
{
    CLEANUP_FREE char *bytes = calloc(1, FRAME_HEADER + FRAME_PAYLOAD_MAX);
    static const char small[] = "\1\0\0\0\5\0\0\0s";
    struct frame frame;

    memcpy(bytes, "\xff\xff\1\0\3\0\0\0", FRAME_HEADER);
    bytes[FRAME_HEADER + FRAME_PAYLOAD_MAX - 1] = 'e';
    for (int i = 0; i < 5; i++) {
        int found = 0;

        put(fixture, small, sizeof small - 1);
        for (size_t at = 0; at < FRAME_HEADER + FRAME_PAYLOAD_MAX;) {
            const ssize_t length =
                write(fixture->in, bytes + at, FRAME_HEADER + FRAME_PAYLOAD_MAX - at);

            assert_true(length > 0);
            at += (size_t)length;
            assert_true(frame_link_read(&fixture->link));
            while (frame_link_next(&fixture->link, &frame) == 1)
                found++;
        }
        while (found < 2 && frame_link_read(&fixture->link))
            while (frame_link_next(&fixture->link, &frame) == 1)
                found++;
        assert_int_equal(found, 2);
        assert_int_equal(frame.length, FRAME_PAYLOAD_MAX);
        assert_int_equal(frame.payload[FRAME_PAYLOAD_MAX - 1], 'e');
    }
}

/* What does not fit is left in the pipe, and nothing that has arrived is lost. */
CASE_WITH(frame_link__full_input, set_up(fixture))
{
    static const char zeros[4096];
    struct frame frame;
    size_t sent = 0;

    put(fixture, "\0\0\0\0\1\0\0\0", FRAME_HEADER);
    while (frame_link_has_room(&fixture->link)) {
        assert_in_range(sent, 0, FRAME_LINK_INPUT);
        put(fixture, zeros, sizeof zeros);
        sent += sizeof zeros;
        assert_true(frame_link_read(&fixture->link));
    }
    assert_true(frame_link_read(&fixture->link)); /* not the end of the input */
    assert_int_equal(frame_link_next(&fixture->link, &frame), 1);
    assert_int_equal(frame.type, 1);
    assert_true(frame_link_has_room(&fixture->link));
    assert_true(frame_link_read(&fixture->link));
    assert_int_equal(fixture->link.filled, FRAME_LINK_INPUT);
}

/* The longest frame in lines, and what follows it: as much as fits is read, and nothing is lost. */
CASE_WITH(frame_link__full_input_of_lines, set_up(fixture))
{
    enum { FRAME_SIZE = FRAME_HEADER + FRAME_PAYLOAD_MAX };
    static const struct frame_seal keys = {"to", "from"};
    static char bytes[FRAME_SIZE], line[SEALED_LINE_MAX];
    struct sealed_lines lines;
    struct frame frame;
    size_t at = 0;
    int found = 0;

    fcntl(fixture->in, F_SETPIPE_SZ, 1 << 20);
    assert_true(frame_link_seal(&fixture->link, &keys));
    sealed_lines_init(&lines, keys.to);
    memset(bytes, 'b', sizeof bytes);
    frame_header_write((unsigned char *)bytes, FRAME_FILES, FRAME_PAYLOAD_MAX);
    for (int i = 0; i < 3; i++)
        for (at = 0; at < sizeof bytes; at += SEALED_DATA_MAX) {
            const size_t left = sizeof bytes - at;

            put(fixture, line,
                sealed_lines_write(&lines, bytes + at,
                                   left < SEALED_DATA_MAX ? left : SEALED_DATA_MAX, line));
        }
    while (found < 3) {
        while (frame_link_has_room(&fixture->link) &&
               frame_link_peek(&fixture->link, &frame) == 0) /* as far as there is a whole frame */
            assert_true(frame_link_read(&fixture->link));
        for (int i = 0; i < 4; i++) /* and then as much as fits */
            assert_true(frame_link_read(&fixture->link));
        while (frame_link_next(&fixture->link, &frame) == 1) {
            assert_int_equal(frame.length, FRAME_PAYLOAD_MAX);
            assert_memory_equal(frame.payload, bytes + FRAME_HEADER, FRAME_PAYLOAD_MAX);
            found++;
        }
    }
    assert_int_equal(found, 3);
}

CASE(frame_link__bytes_that_are_no_frame)
{
    static const char *const headers[] = {
        "\0\0\2\0\5\0\0\0", "\xff\xff\xff\xff\5\0\0\0", "\0\0\0\x80\5\0\0\0",
        "\0\0\0\0\5\1\0\0", "\0\0\0\0\5\0\1\0",         "\0\0\0\0\5\0\0\1",
        "hello, w"};

    for (size_t i = 0; i < COUNT(headers); i++) {
        struct fixture fixture;
        struct frame frame;

        set_up(&fixture);
        put(&fixture, headers[i], FRAME_HEADER);
        assert_true(frame_link_read(&fixture.link));
        assert_int_equal(frame_link_next(&fixture.link, &frame), -1);
        tear_down(&fixture);
    }
}

CASE_WITH(frame_link__end_of_input, set_up(fixture))
{
    struct frame frame;

    put(fixture, "\0\0\0\0\6\0\0\0\0", 9);
    close(fixture->in);
    fixture->in = -1;
    assert_true(frame_link_read(&fixture->link));
    assert_int_equal(frame_link_next(&fixture->link, &frame), 1);
    assert_int_equal(frame_link_next(&fixture->link, &frame), 0);
    assert_false(frame_link_read(&fixture->link));
}

/* Everything that can be read now. */
static struct strbuf written(struct fixture *fixture)
{
    struct strbuf got = STRBUF_INIT;
    char chunk[65536];
    ssize_t length;

    while ((length = read(fixture->out, chunk, sizeof chunk)) > 0)
        strbuf_add(&got, chunk, (size_t)length);
    return got;
}

CASE_WITH(frame_link__writes_frames, set_up(fixture))
{
    struct strbuf got;
    unsigned char *bytes;

    assert_false(frame_link_pending(&fixture->link));
    assert_true(frame_link_send(&fixture->link, FRAME_FAILED, "fix", 3, "text", 4));
    assert_true(frame_link_send(&fixture->link, FRAME_BEGUN, NULL, 0, NULL, 0));
    bytes = frame_link_prepare(&fixture->link);
    assert_non_null(bytes);
    memcpy(bytes, "out", 3);
    frame_link_commit(&fixture->link, CHANNEL_STDOUT, 3);
    assert_true(frame_link_pending(&fixture->link));
    assert_true(frame_link_write(&fixture->link));
    assert_false(frame_link_pending(&fixture->link));
    got = written(fixture);
    assert_int_equal(got.length, 3 * FRAME_HEADER + 10);
    assert_memory_equal(got.data, ((char[]){7, 0, 0, 0, FRAME_FAILED, 0, 0, 0}), FRAME_HEADER);
    assert_memory_equal(got.data + 8, "fixtext", 7);
    assert_memory_equal(got.data + 15, ((char[]){0, 0, 0, 0, FRAME_BEGUN, 0, 0, 0}), FRAME_HEADER);
    assert_memory_equal(got.data + 23, ((char[]){3, 0, 0, 0, FRAME_STDOUT, 0, 0, 0}), FRAME_HEADER);
    assert_memory_equal(got.data + 31, "out", 3);
    strbuf_release(&got);
}

/* Bytes of streams leave room for control frames, and nothing is ever cut. */
CASE(frame_link__room)
{
    static const char control[FRAME_LINK_RESERVE - FRAME_HEADER];
    struct fixture fixture;
    size_t *filled = &fixture.link.out_filled;

    set_up(&fixture);
    /* Small frames, and then the largest one if it is let in. */
    while (sizeof fixture.link.output - *filled >= 2 * FRAME_HEADER + FRAME_CHUNK + 1000 &&
           frame_link_prepare(&fixture.link))
        frame_link_commit(&fixture.link, CHANNEL_STDOUT, 1000);
    if (frame_link_prepare(&fixture.link))
        frame_link_commit(&fixture.link, CHANNEL_STDOUT, FRAME_CHUNK);
    assert_true(frame_link_send(&fixture.link, FRAME_END, control, sizeof control, NULL, 0));
    while (frame_link_send(&fixture.link, FRAME_END, control, 500, NULL, 0))
        ;
    assert_in_range(sizeof fixture.link.output - *filled, 0, 507);
    assert_int_equal(fixture.link.out_first, 0);
    assert_null(frame_link_prepare(&fixture.link));
    tear_down(&fixture);
}

/* Each channel has its own credit, and no other frame needs any. */
CASE_WITH(frame_link__credit, set_up(fixture))
{
    size_t sent = 0;

    while (frame_link_may_send(&fixture->link, CHANNEL_FILES) > 0) {
        struct strbuf got;

        assert_int_equal(frame_link_may_send(&fixture->link, CHANNEL_FILES), FRAME_CHUNK);
        assert_non_null(frame_link_prepare(&fixture->link));
        frame_link_commit(&fixture->link, CHANNEL_FILES, FRAME_CHUNK);
        sent += FRAME_CHUNK;
        while (frame_link_pending(&fixture->link)) {
            assert_true(frame_link_write(&fixture->link));
            got = written(fixture);
            strbuf_release(&got);
        }
    }
    assert_int_equal(sent, FRAME_WINDOW);
    assert_int_equal(frame_link_may_send(&fixture->link, CHANNEL_STDOUT), FRAME_CHUNK);
    assert_true(frame_link_grant(&fixture->link, FRAME_FILES, 7));
    assert_int_equal(frame_link_may_send(&fixture->link, CHANNEL_FILES), 7);
    assert_false(frame_link_grant(&fixture->link, FRAME_STDIN, 7));
    assert_false(frame_link_grant(&fixture->link, FRAME_END, 7));
    assert_false(frame_link_grant(&fixture->link, 0, 7));
    assert_false(frame_link_grant(&fixture->link, UINT32_MAX, 7));
    assert_true(frame_link_send(&fixture->link, FRAME_BEGUN, NULL, 0, NULL, 0));
}

/* A pipe that is full takes what fits; the rest follows in order when there is room again. */
CASE_WITH(frame_link__slow_reader, set_up(fixture))
{
    struct strbuf all = STRBUF_INIT;
    unsigned next = 0;
    size_t at = 0;

    assert_true(frame_link_grant(&fixture->link, FRAME_STDOUT, UINT32_MAX));
    for (int round = 0; round < 40; round++) {
        unsigned char *bytes;
        struct strbuf got;

        while ((bytes = frame_link_prepare(&fixture->link))) {
            memset(bytes, (int)(next++ % 251), 10007);
            frame_link_commit(&fixture->link, CHANNEL_STDOUT, 10007);
        }
        assert_true(frame_link_write(&fixture->link));
        assert_true(frame_link_write(&fixture->link)); /* the pipe is full, or nothing is left */
        got = written(fixture);
        strbuf_add(&all, got.data, got.length);
        strbuf_release(&got);
    }
    for (unsigned i = 0; at + FRAME_HEADER + 10007 <= all.length; i++) {
        const char *frame = all.data + at;

        assert_memory_equal(frame, ((char[]){0x17, 0x27, 0, 0, FRAME_STDOUT, 0, 0, 0}), 8);
        assert_int_equal((unsigned char)frame[8], i % 251);
        assert_int_equal((unsigned char)frame[FRAME_HEADER + 10006], i % 251);
        at += FRAME_HEADER + 10007;
    }
    assert_true(at > (size_t)1 << 20);
    strbuf_release(&all);
}

CASE_WITH(frame_link__reader_is_gone, set_up(fixture))
{
    assert_true(frame_link_send(&fixture->link, FRAME_BEGUN, NULL, 0, NULL, 0));
    close(fixture->out);
    fixture->out = -1;
    assert_false(frame_link_write(&fixture->link));
}

static int set_up_group(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    return 0;
}

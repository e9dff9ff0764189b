/* What a job has written, from lines of its log to frames (container/job_log.h). */
#include "test.h"

#include "container/job_log.h"

/* A reader, the writer of its log, and what the handler got. */
struct fixture {
    struct job_log log;
    struct sealed_lines writer;
    struct supervisor_link link;
    struct strbuf text; /* the lines that are written */
    struct strbuf got;
};

static const char KEY[] = "0123456789abcdef0123456789abcdef";

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.text = STRBUF_INIT};
    job_log_init(&fixture->log, KEY);
    sealed_lines_init(&fixture->writer, KEY);
    supervisor_link_init(&fixture->link);
    fixture->link.is_script = true;
    fixture->link.state = LINK_RUNNING;
}

static void tear_down(struct fixture *fixture)
{
    job_log_release(&fixture->log);
    supervisor_link_release(&fixture->link);
    strbuf_release(&fixture->text);
    strbuf_release(&fixture->got);
}

/* ---- the writer */

static void add_frame(struct strbuf *bytes, int type, const char *payload, size_t length)
{
    const char header[8] = {(char)length, (char)(length >> 8), (char)(length >> 16), 0, (char)type};

    strbuf_add(bytes, header, sizeof header);
    strbuf_add(bytes, payload, length);
}

static void add_out(struct strbuf *bytes, const char *text)
{
    add_frame(bytes, FRAME_STDOUT, text, strlen(text));
}

/* Writes a line with these bytes. */
static void write_line(struct fixture *fixture, const char *data, size_t length)
{
    char line[SEALED_LINE_MAX];

    strbuf_add(&fixture->text, line, sealed_lines_write(&fixture->writer, data, length, line));
}

/* Writes the frames, so many bytes a line, and releases them. */
static void write_frames(struct fixture *fixture, struct strbuf *bytes, size_t a_line)
{
    for (size_t at = 0; at < bytes->length; at += a_line)
        write_line(fixture, bytes->data + at,
                   bytes->length - at < a_line ? bytes->length - at : a_line);
    strbuf_release(bytes);
}

/* ---- the reader */

static void note_bytes(void *context, enum frame_channel channel, const char *data, size_t length)
{
    strbuf_addf(&((struct fixture *)context)->got, "%d %.*s;", (int)channel,
                length < 20 ? (int)length : 20, data);
}

static void note_omitted(void *context, enum frame_channel channel, unsigned long long bytes)
{
    strbuf_addf(&((struct fixture *)context)->got, "%d omitted %llu;", (int)channel, bytes);
}

static void note_path(void *context, const char *path)
{
    strbuf_addf(&((struct fixture *)context)->got, "too large %s;", path);
}

static const struct supervisor_handler handler = {
    .take = note_bytes, .omitted = note_omitted, .too_large = note_path};

static void take_frames(struct fixture *fixture)
{
    bool more = true;

    while (more) {
        const bool has_frame = job_log_has_frame(&fixture->log);

        more = job_log_next(&fixture->log, &fixture->link, &handler, fixture);
        assert_int_equal(more, has_frame);
    }
}

/* Reads what was written in pieces of this size. */
static void read_pieces(struct fixture *fixture, size_t piece)
{
    for (size_t at = 0; at < fixture->text.length; at += piece) {
        const size_t left = fixture->text.length - at;

        job_log_add(&fixture->log, fixture->text.data + at, left < piece ? left : piece);
        take_frames(fixture);
    }
    strbuf_release(&fixture->text);
}

static void check(const struct fixture *fixture, bool broken, const char *expected)
{
    assert_string_equal(fixture->got.data ? fixture->got.data : "", expected);
    assert_int_equal(fixture->log.reader.broken, broken);
}

/* ---- cases */

CASE(job_log__frames_over_several_lines)
{
    static const size_t sizes[] = {1, 7, 8, 9, 20, 9000};

    for (size_t i = 0; i < COUNT(sizes); i++) {
        const struct frame_omitted omitted = {.bytes = 12345, .stream = FRAME_STDERR};
        struct strbuf bytes = STRBUF_INIT;
        struct fixture fixture;

        set_up(&fixture);
        add_out(&bytes, "a text of 20 letters");
        add_frame(&bytes, FRAME_OMITTED, (const char *)&omitted, sizeof omitted);
        add_frame(&bytes, FRAME_STDERR, "x", 1);
        write_frames(&fixture, &bytes, sizes[i]);
        read_pieces(&fixture, SIZE_MAX / 2);
        check(&fixture, false, "0 a text of 20 letters;1 omitted 12345;1 x;");
        assert_false(fixture.link.broken);
        tear_down(&fixture);
    }
}

/* The longest frame is in more lines than one, whose lines are the longest. */
CASE_WITH(job_log__longest_frame, set_up(fixture))
{
    static char payload[FRAME_PAYLOAD_MAX];
    struct strbuf bytes = STRBUF_INIT;

    memset(payload, 'p', sizeof payload);
    add_frame(&bytes, FRAME_STDOUT, payload, sizeof payload);
    write_frames(fixture, &bytes, 9000);
    assert_int_equal(strcspn(strbuf_string(&fixture->text), "\n") + 1, SEALED_LINE_MAX);
    read_pieces(fixture, SIZE_MAX / 2);
    check(fixture, false, "0 pppppppppppppppppppp;");
}

CASE(job_log__lines_in_pieces)
{
    static const size_t pieces[] = {1, 2, 3, 39, 40, 41, 1000};

    for (size_t i = 0; i < COUNT(pieces); i++) {
        struct strbuf bytes = STRBUF_INIT;
        struct fixture fixture;

        set_up(&fixture);
        add_out(&bytes, "one");
        add_out(&bytes, "two");
        write_frames(&fixture, &bytes, 6);
        read_pieces(&fixture, pieces[i]);
        check(&fixture, false, "0 one;0 two;");
        assert_int_equal(fixture.log.reader.line.length, 0);
        tear_down(&fixture);
    }
}

/* Frames wait until they are taken one by one; what was taken is dropped with the next bytes. */
CASE_WITH(job_log__many_frames_in_one_line, set_up(fixture))
{
    struct strbuf bytes = STRBUF_INIT;

    for (int i = 0; i < 900; i++)
        add_out(&bytes, i == 899 ? "Z" : "a");
    write_frames(fixture, &bytes, 9000);
    job_log_add(&fixture->log, fixture->text.data, fixture->text.length);
    assert_int_equal(fixture->log.frames.length, 8100);
    for (int i = 0; i < 899; i++) {
        assert_true(job_log_has_frame(&fixture->log));
        assert_true(job_log_next(&fixture->log, &fixture->link, &handler, fixture));
    }
    assert_int_equal(fixture->got.length, 899 * 4);
    strbuf_release(&fixture->got);
    assert_true(job_log_next(&fixture->log, &fixture->link, &handler, fixture));
    check(fixture, false, "0 Z;");
    assert_false(job_log_has_frame(&fixture->log));
    job_log_add(&fixture->log, "", 0);
    assert_int_equal(fixture->log.frames.length, 0);
}

/* What came before a line that is wrong is taken, and nothing that follows. */
static void check_broken(struct fixture *fixture, const char *expected)
{
    struct strbuf bytes = STRBUF_INIT;

    read_pieces(fixture, SIZE_MAX / 2);
    check(fixture, true, expected);
    add_out(&bytes, "later");
    write_frames(fixture, &bytes, 9000);
    read_pieces(fixture, 10);
    check(fixture, true, expected);
    tear_down(fixture);
}

/* Two frames, each in a line of its own. */
static void write_two(struct fixture *fixture)
{
    struct strbuf bytes = STRBUF_INIT;

    set_up(fixture);
    add_out(&bytes, "one");
    write_frames(fixture, &bytes, 9000);
    add_out(&bytes, "two");
    write_frames(fixture, &bytes, 9000);
}

CASE(job_log__changed_line)
{
    struct fixture fixture;
    char *second;

    write_two(&fixture);
    second = strchr(strbuf_string(&fixture.text), '\n') + 1;
    second[strlen(second) - 3] ^= 1; /* a byte of its frame */
    check_broken(&fixture, "0 one;");

    write_two(&fixture);
    second = strchr(strbuf_string(&fixture.text), '\n') + 1;
    *second = '!';
    check_broken(&fixture, "0 one;");
}

CASE(job_log__line_that_is_missing_or_comes_twice)
{
    struct strbuf first = STRBUF_INIT;
    struct fixture fixture;
    size_t length;

    write_two(&fixture);
    strbuf_drop(&fixture.text, strcspn(fixture.text.data, "\n") + 1);
    check_broken(&fixture, "");

    write_two(&fixture);
    length = strcspn(fixture.text.data, "\n") + 1;
    strbuf_add(&first, fixture.text.data, length);
    strbuf_add(&first, fixture.text.data, fixture.text.length);
    strbuf_release(&fixture.text);
    fixture.text = first;
    check_broken(&fixture, "0 one;");
}

/* A line without bytes, and one of the image's shell. */
CASE(job_log__line_of_another)
{
    struct fixture fixture;

    write_two(&fixture);
    strbuf_addstr(&fixture.text, "\n");
    check_broken(&fixture, "0 one;0 two;");

    set_up(&fixture);
    strbuf_addstr(&fixture.text, "exec format error\n");
    check_broken(&fixture, "");
}

CASE(job_log__foreign_key)
{
    struct strbuf bytes = STRBUF_INIT;
    struct fixture fixture;

    set_up(&fixture);
    sealed_lines_init(&fixture.writer, "0123456789abcdef0123456789abcdee");
    add_out(&bytes, "one");
    write_frames(&fixture, &bytes, 9000);
    check_broken(&fixture, "");
}

/* A line of SEALED_LINE_MAX bytes without its line feed is refused before it has ended. */
CASE(job_log__line_that_is_too_long)
{
    struct fixture fixture;

    set_up(&fixture);
    for (int i = 0; i < 12028; i++)
        strbuf_addch(&fixture.text, 'A');
    read_pieces(&fixture, 100);
    check(&fixture, false, "");
    assert_int_equal(fixture.log.reader.line.length, 12028);
    strbuf_addch(&fixture.text, 'A');
    read_pieces(&fixture, 1);
    check(&fixture, true, "");
    tear_down(&fixture);

    set_up(&fixture);
    for (int i = 0; i < 100000; i++)
        strbuf_addch(&fixture.text, 'A');
    read_pieces(&fixture, SIZE_MAX / 2);
    check(&fixture, true, "");
    assert_int_equal(fixture.log.reader.line.length, 0);
    tear_down(&fixture);
}

/* The line is good, and what is in it is no frame: the link takes nothing more. */
CASE(job_log__bad_header)
{
    static const unsigned char bad[][8] = {{1, 0, 0, 0, FRAME_STDOUT, 1, 0, 0},
                                           {0, 0, 2, 0, FRAME_STDOUT, 0, 0, 0},
                                           {255, 255, 255, 255, FRAME_STDOUT, 0, 0, 0}};

    for (size_t i = 0; i < COUNT(bad); i++) {
        struct strbuf bytes = STRBUF_INIT;
        struct fixture fixture;

        set_up(&fixture);
        add_out(&bytes, "one");
        strbuf_add(&bytes, (const char *)bad[i], 8);
        add_out(&bytes, "two");
        write_frames(&fixture, &bytes, 9000);
        job_log_add(&fixture.log, fixture.text.data, fixture.text.length);
        for (int frame = 0; frame < 2; frame++)
            assert_true(job_log_next(&fixture.log, &fixture.link, &handler, &fixture));
        assert_true(fixture.link.broken);
        take_frames(&fixture);
        check(&fixture, false, "0 one;");
        tear_down(&fixture);
    }
}

/* Half a frame is none, also at the end of the log. */
CASE_WITH(job_log__frame_that_has_no_end, set_up(fixture))
{
    struct strbuf bytes = STRBUF_INIT;

    add_out(&bytes, "one");
    write_line(fixture, bytes.data, 7);
    read_pieces(fixture, 10);
    assert_false(job_log_has_frame(&fixture->log));
    write_line(fixture, bytes.data + 7, 3);
    read_pieces(fixture, 10);
    assert_false(job_log_has_frame(&fixture->log));
    check(fixture, false, "");
    write_line(fixture, bytes.data + 10, 1);
    read_pieces(fixture, 10);
    check(fixture, false, "0 one;");
    strbuf_release(&bytes);
}

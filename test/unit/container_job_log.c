#include "test.h"

#include "container/job_log.h"

/* Frames that arrived, by a link that is ready: "TYPE LENGTH;". */
static char *taken(struct job_log *log)
{
    struct strbuf text = STRBUF_INIT;
    enum frame_type type;
    const char *payload;
    size_t length;

    while (job_log_take(log, &type, &payload, &length))
        strbuf_addf(&text, "%d %zu %.*s;", (int)type, length, (int)(length < 8 ? length : 8),
                    payload);
    return strbuf_steal(&text);
}

static void add_frame(struct strbuf *bytes, enum frame_type type, const char *payload)
{
    unsigned char header[FRAME_HEADER];

    frame_header_write(header, type, strlen(payload));
    strbuf_add(bytes, header, sizeof header);
    strbuf_addstr(bytes, payload);
}

/* Adds these bytes as lines with so many bytes each. */
static void add_lines(struct strbuf *log, struct sealed_lines *writer, const struct strbuf *bytes,
                      size_t each)
{
    char line[SEALED_LINE_MAX];

    for (size_t at = 0; at < bytes->length; at += each) {
        const size_t left = bytes->length - at;

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

/* Two frames as a log whose lines have `each` bytes, read in pieces. */
static void check_pieces(size_t each, size_t piece)
{
    CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT, text = STRBUF_INIT;
    CLEANUP(strbuf_release) struct strbuf all = STRBUF_INIT;
    CLEANUP(job_log_release) struct job_log log;
    struct sealed_lines writer;

    sealed_lines_init(&writer, "key");
    add_frame(&bytes, FRAME_STDOUT, "hello");
    add_frame(&bytes, FRAME_STDERR, "");
    add_frame(&bytes, FRAME_STDOUT, "you");
    add_lines(&text, &writer, &bytes, each);
    job_log_init(&log, "key");
    for (size_t at = 0; at < text.length; at += piece) {
        const size_t left = text.length - at;
        CLEANUP_FREE char *frames = NULL;

        job_log_add(&log, text.data + at, left < piece ? left : piece);
        frames = taken(&log);
        strbuf_addstr(&all, frames);
    }
    assert_false(log.broken);
    assert_string_equal(strbuf_string(&all), "14 5 hello;15 0 ;14 3 you;");
}

static void job_log__lines_and_pieces_of_any_size(void **state)
{
    (void)state;
    for (size_t each = 1; each < 40; each += 3)
        for (size_t piece = 1; piece < 200; piece = piece * 2 + 1)
            check_pieces(each, piece);
}

/* What comes before a line that is not the next one counts, and nothing after it. */
static void check_broken(const char *key, const char *second)
{
    CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT, text = STRBUF_INIT;
    CLEANUP(job_log_release) struct job_log log;
    CLEANUP_FREE char *frames = NULL;
    struct sealed_lines writer;

    sealed_lines_init(&writer, "key");
    add_frame(&bytes, FRAME_STDOUT, "one");
    add_lines(&text, &writer, &bytes, 100);
    job_log_init(&log, key);
    job_log_add(&log, text.data, text.length);
    job_log_add(&log, second, strlen(second));
    frames = taken(&log);
    assert_true(log.broken);
    assert_string_equal(frames, strcmp(key, "key") == 0 ? "14 3 one;" : "");
}

static void job_log__a_line_that_is_not_the_next(void **state)
{
    CLEANUP(strbuf_release) struct strbuf long_line = STRBUF_INIT;
    char line[SEALED_LINE_MAX + 1] = "";
    struct sealed_lines writer;

    (void)state;
    check_broken("key", "\n");
    check_broken("key", "hello\n");
    check_broken("other key", "");
    sealed_lines_init(&writer, "key");
    sealed_lines_write(&writer, "once more", 9, line);
    check_broken("key", line);
    for (int i = 0; i < SEALED_LINE_MAX; i++)
        strbuf_addch(&long_line, 'A');
    check_broken("key", strbuf_string(&long_line)); /* without waiting for its end */
}

/* The link gets a header that cannot be, and breaks. */
static void job_log__a_bad_header(void **state)
{
    static const struct supervisor_handler handler;
    CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT, text = STRBUF_INIT;
    CLEANUP(job_log_release) struct job_log log;
    CLEANUP(supervisor_link_release) struct supervisor_link link;
    struct sealed_lines writer;
    enum frame_type type;
    const char *payload;
    size_t length;

    (void)state;
    sealed_lines_init(&writer, "key");
    strbuf_add(&bytes, "\xff\xff\xff\xff\1\0\0\0", 8);
    add_lines(&text, &writer, &bytes, 100);
    supervisor_link_init(&link);
    job_log_init(&log, "key");
    job_log_add(&log, text.data, text.length);
    assert_true(job_log_has_frame(&log));
    assert_false(job_log_take(&log, &type, &payload, &length));
    assert_true(job_log_next(&log, &link, &handler, NULL));
    assert_true(link.broken);
}

#include "test.h"

#include "base/lines.h"
#include "base/memory.h"

/* Adds "[LINE]" for each line that is there, and "!" for a line that is too long. */
static void take(struct lines *lines, struct strbuf *seen)
{
    enum lines_event event;
    const char *line;
    size_t length;

    while ((event = lines_next(lines, &line, &length)) != LINES_NONE) {
        if (event == LINES_TOO_LONG) {
            strbuf_addch(seen, '!');
            continue;
        }
        strbuf_addch(seen, '[');
        strbuf_add(seen, line, length);
        strbuf_addch(seen, ']');
    }
}

static void feed(struct lines *lines, struct strbuf *seen, const char *text)
{
    lines_feed(lines, text, strlen(text));
    take(lines, seen);
}

/* Feeds the text in pieces of each size up to its length; a line may have 8 bytes. */
static void check(const char *text, const char *expected)
{
    const size_t whole = strlen(text);

    for (size_t piece = 1; piece <= whole; piece++) {
        struct lines lines = LINES_INIT(8);
        struct strbuf seen = STRBUF_INIT;

        for (size_t at = 0; at < whole; at += piece) {
            lines_feed(&lines, text + at, piece < whole - at ? piece : whole - at);
            take(&lines, &seen);
        }
        lines_end(&lines);
        take(&lines, &seen);
        assert_string_equal(strbuf_string(&seen), expected);
        strbuf_release(&seen);
        lines_release(&lines);
    }
}

CASE(lines__are_cut_at_newlines)
{
    check("\n", "[]");
    check("a\n", "[a]");
    check("one\ntwo\nthree\n", "[one][two][three]");
    check("one\n\n\ntwo\n", "[one][][][two]");
}

CASE(lines__end_with_carriage_returns)
{
    check("one\r\ntwo\r\n", "[one][two]");
    check("\r\n", "[]");
    check("a\rb\n", "[a\rb]");
    check("a\r\r\n", "[a\r]");
}

CASE(lines__last_one_needs_no_newline)
{
    check("one\ntwo", "[one][two]");
    check("one", "[one]");
    check("one\r", "[one]");
}

CASE(lines__nothing_at_the_end)
{
    struct lines lines = LINES_INIT(8);
    struct strbuf seen = STRBUF_INIT;

    take(&lines, &seen);
    lines_end(&lines);
    take(&lines, &seen);
    feed(&lines, &seen, "a\n");
    lines_end(&lines);
    take(&lines, &seen);
    lines_end(&lines);
    take(&lines, &seen);
    assert_string_equal(strbuf_string(&seen), "[a]");
    strbuf_release(&seen);
    lines_release(&lines);
}

CASE(lines__byte_order_mark)
{
    check("\xef\xbb\xbf"
          "ab\n",
          "[ab]");
    check("\xef\xbb\xbf\nab\n", "[][ab]");
    check("\xef\xbb\xbf", "[]");
    check("ab\n\xef\xbb\xbf"
          "c\n",
          "[ab][\xef\xbb\xbf"
          "c]");
    check("\xef\xbb\n", "[\xef\xbb]");
}

CASE(lines__hold_any_byte)
{
    struct lines lines = LINES_INIT(8);
    const char *line;
    size_t length;

    lines_feed(&lines, "a\0\xff\n", 4);
    assert_int_equal(lines_next(&lines, &line, &length), LINES_LINE);
    assert_int_equal(length, 3);
    assert_memory_equal(line, "a\0\xff", 3);
    assert_int_equal(lines_next(&lines, &line, &length), LINES_NONE);
    lines_release(&lines);
}

CASE(lines__as_long_as_allowed)
{
    check("12345678\n1\n", "[12345678][1]");
    check("12345678", "[12345678]");
}

CASE(lines__too_long_ones_are_skipped)
{
    check("123456789\n", "!");
    check("123456789\nnext\n", "![next]");
    check("one\n123456789012345678901234567890\n\ntwo\n", "[one]![][two]");
    check("123456789\n123456789\nnext\n", "!![next]");
    check("123456789", "!");
    check("1234567890123456789\nnext", "![next]");
}

/* A line that is too long is reported before its end, which may never come. */
CASE(lines__too_long_is_told_at_once)
{
    struct lines lines = LINES_INIT(8);
    struct strbuf seen = STRBUF_INIT;

    feed(&lines, &seen, "12345678");
    assert_string_equal(strbuf_string(&seen), "");
    feed(&lines, &seen, "9");
    assert_string_equal(strbuf_string(&seen), "!");
    feed(&lines, &seen, "more of it");
    feed(&lines, &seen, "and more");
    assert_string_equal(strbuf_string(&seen), "!");
    lines_end(&lines);
    take(&lines, &seen);
    assert_string_equal(strbuf_string(&seen), "!");
    strbuf_release(&seen);
    lines_release(&lines);
}

/* A line that is skipped takes no memory. */
CASE(lines__skipping_keeps_nothing)
{
    struct lines lines = LINES_INIT(8);
    struct strbuf seen = STRBUF_INIT;
    char chunk[4096];

    memset(chunk, 's', sizeof chunk);
    for (int i = 0; i < 1000; i++) {
        lines_feed(&lines, chunk, sizeof chunk);
        take(&lines, &seen);
    }
    assert_string_equal(strbuf_string(&seen), "!");
    if (lines.buffer.capacity > 16384)
        fail_msg("%zu bytes are kept", lines.buffer.capacity);
    feed(&lines, &seen, "\nnext\n");
    assert_string_equal(strbuf_string(&seen), "![next]");
    strbuf_release(&seen);
    lines_release(&lines);
}

/* Neither does a line that was returned long ago. */
CASE(lines__long_ones_are_given_back)
{
    enum { LONG = 4 << 20 };
    struct lines lines = LINES_INIT(LONG);
    struct strbuf seen = STRBUF_INIT;
    CLEANUP_FREE char *text = memory_allocate(LONG + 1);

    memset(text, 'l', LONG);
    text[LONG] = '\n';
    lines_feed(&lines, text, LONG + 1);
    take(&lines, &seen);
    assert_int_equal(seen.length, LONG + 2);
    strbuf_release(&seen);
    feed(&lines, &seen, "short\n");
    assert_string_equal(strbuf_string(&seen), "[short]");
    if (lines.buffer.capacity > 1 << 18)
        fail_msg("%zu bytes are kept", lines.buffer.capacity);
    strbuf_release(&seen);
    lines_release(&lines);
}

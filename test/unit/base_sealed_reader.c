#include "test.h"

#include "base/sealed_reader.h"

/* The lines of "one", "two" and "three", whose key is "key". */
static struct strbuf three_lines(void)
{
    static const char *const words[] = {"one", "two", "three"};
    struct strbuf text = STRBUF_INIT;
    struct sealed_lines lines;
    char line[SEALED_LINE_MAX];

    sealed_lines_init(&lines, "key");
    for (size_t i = 0; i < COUNT(words); i++)
        strbuf_add(&text, line, sealed_lines_write(&lines, words[i], strlen(words[i]), line));
    return text;
}

CASE(sealed_reader__any_pieces)
{
    struct strbuf text = three_lines();

    for (size_t piece = 1; piece <= text.length; piece++) {
        CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
        CLEANUP(sealed_reader_release) struct sealed_reader reader = {.line = STRBUF_INIT};

        sealed_reader_init(&reader, "key");
        for (size_t at = 0; at < text.length; at += piece)
            sealed_reader_add(&reader, text.data + at,
                              text.length - at < piece ? text.length - at : piece, &out);
        assert_string_equal(strbuf_string(&out), "onetwothree");
        assert_false(reader.broken);
        assert_int_equal(reader.line.length, 0);
    }
    strbuf_release(&text);
}

/* What came before a line that is not the next one counts, and nothing after it. */
CASE(sealed_reader__line_that_is_not_the_next)
{
    CLEANUP(strbuf_release) struct strbuf text = three_lines(), out = STRBUF_INIT;
    CLEANUP(sealed_reader_release) struct sealed_reader reader = {.line = STRBUF_INIT};
    const size_t second = strcspn(text.data, "\n") + 1;

    sealed_reader_init(&reader, "key");
    sealed_reader_add(&reader, text.data, second, &out);
    sealed_reader_add(&reader, text.data, text.length, &out); /* the first one again */
    assert_true(reader.broken);
    sealed_reader_add(&reader, text.data + second, text.length - second, &out);
    assert_string_equal(strbuf_string(&out), "one");
}

/* It is not kept. */
CASE(sealed_reader__line_without_an_end)
{
    static char text[SEALED_LINE_MAX];
    CLEANUP(strbuf_release) struct strbuf out = STRBUF_INIT;
    CLEANUP(sealed_reader_release) struct sealed_reader reader = {.line = STRBUF_INIT};

    memset(text, 'A', sizeof text);
    sealed_reader_init(&reader, "key");
    sealed_reader_add(&reader, text, sizeof text - 1, &out);
    assert_false(reader.broken);
    sealed_reader_add(&reader, text, 1, &out);
    assert_true(reader.broken);
    assert_int_equal(reader.line.length, SEALED_LINE_MAX - 1);
}

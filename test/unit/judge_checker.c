#include "test.h"

#include "base/text.h"
#include "judge/checker.h"
#include "judge/checker_text.h"

/* The message in a text. */
static void check_line(const char *text, size_t length, const char *expected)
{
    CLEANUP(strbuf_release) struct strbuf buffer = STRBUF_INIT;
    CLEANUP_FREE char *line = NULL;

    strbuf_add(&buffer, text, length);
    line = checker_text_first_line(&buffer);
    assert_text_or_null(line, expected);
}

static void check_text(const char *text, const char *expected)
{
    check_line(text, strlen(text), expected);
}

CASE(checker__first_line)
{
    check_text("wrong answer 2nd numbers differ\n", "wrong answer 2nd numbers differ");
    check_text("one", "one");
    check_text("one\ntwo\n", "one");
    check_text("one\r\ntwo\r\n", "one");
    check_text("\n\r\n  one two \nthree", "one two ");
}

CASE(checker__no_line)
{
    CLEANUP_FREE char *none = NULL;
    struct strbuf empty = STRBUF_INIT;

    none = checker_text_first_line(&empty);
    assert_null(none);
    check_text("", NULL);
    check_text("\n", NULL);
    check_text("\r\n \n", NULL);
}

/* The message may be what the program has written: it ends up on terminals and in JSON. */
CASE(checker__line_of_a_program)
{
    check_text("\x1b[2Jred\n", "\\x1b[2Jred");
    check_text("a\tb\x07", "a\\tb\\x07");
    check_line("a\0b\n", 4, "a");
}

CASE(checker__long_line)
{
    CLEANUP_FREE char *line = NULL;
    struct strbuf text = STRBUF_INIT;

    for (int i = 0; i < 2 * CHECKER_MESSAGE_MAX; i++)
        strbuf_addch(&text, 'a');
    line = checker_text_first_line(&text);
    assert_int_equal(strlen(line), CHECKER_MESSAGE_MAX);
    strbuf_release(&text);
}

/* No part of a character is left where it is cut. */
CASE(checker__long_line_of_characters)
{
    struct strbuf text = STRBUF_INIT;

    for (int before = 0; before < 4; before++) {
        CLEANUP_FREE char *line = NULL;

        strbuf_release(&text);
        strbuf_add(&text, "abc", (size_t)before);
        for (int i = 0; i < CHECKER_MESSAGE_MAX; i++)
            strbuf_add(&text, "\xf0\x9f\x99\x82", 4);
        line = checker_text_first_line(&text);
        assert_int_equal(strlen(line), before == 0 ? 1000 : 996 + before);
        assert_true(text_is_utf8(line));
    }
    strbuf_release(&text);
}

/* Status, line and part of the points; -1: none. */
CASE(checker__partly_right)
{
    static const struct {
        int exit_code;
        const char *line;
        double part;
    } cases[] = {
        {50, "partially correct (50) half of it", 0.5},
        {100, "partially correct (50) built for TESTSYS", 0.5},
        {0, "partially correct (0) nothing", 0},
        {1, "partially correct (1) ", 0.01},
        {120, "partially correct (120)", 1.2},
        {50, "ok partially correct (50)", -1},
        {1, "partially correct (50) not by testlib", -1},
        {50, "partially correct (50", -1},
        {50, "partially correct (half)", -1},
        {50, NULL, -1},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        double part = -1;
        const bool found = checker_text_part(cases[i].exit_code, cases[i].line, &part);

        if (found != (cases[i].part >= 0) || part != cases[i].part)
            fail_msg("case %zu: %g", i, part);
    }
}

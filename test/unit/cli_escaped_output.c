#include "test.h"

#include "cli/escaped_output.h"

static void assert_escaped(struct escaped_output *output, enum process_stream stream,
                           const char *data, const char *expected)
{
    CLEANUP_FREE char *shown = escaped_output_text(output, stream, data, strlen(data));

    assert_string_equal(shown, expected);
}

CASE(escaped_output__escapes_control_characters)
{
    CLEANUP(escaped_output_release) struct escaped_output output = ESCAPED_OUTPUT_INIT;

    assert_escaped(&output, PROCESS_STDOUT, "a\tb\n\n", "a\tb\n\n");
    assert_escaped(&output, PROCESS_STDOUT, "\x1b[31m\r\x07\x7f", "\\x1b[31m\\x0d\\x07\\x7f");
    assert_escaped(&output, PROCESS_STDOUT, "\xc2\x9b", "\\xc2\\x9b");
    assert_escaped(&output, PROCESS_STDOUT, "", "");
}

/* A character arrives in pieces while the other stream writes too. */
CASE(escaped_output__split_characters)
{
    CLEANUP(escaped_output_release) struct escaped_output output = ESCAPED_OUTPUT_INIT;

    assert_escaped(&output, PROCESS_STDOUT, "x\xe2\x82", "x");
    assert_escaped(&output, PROCESS_STDERR, "y", "y");
    assert_escaped(&output, PROCESS_STDOUT, "\xac\n", "\xe2\x82\xac\n");
    assert_escaped(&output, PROCESS_STDOUT, "\xe2\x82", "");
    assert_escaped(&output, PROCESS_STDOUT, "z", "\\xe2\\x82z");
}

CASE(escaped_output__colours)
{
    CLEANUP(escaped_output_release)
    struct escaped_output output = {.colours = true};
    CLEANUP_FREE char *rest = NULL, *none = NULL;

    assert_escaped(&output, PROCESS_STDOUT, "a\x1b[1;38:5:200mb\x1b[m\n",
                   "a\x1b[1;38:5:200mb\x1b[m\n");
    assert_escaped(&output, PROCESS_STDOUT, "\x1b[2J\x1b]0;t\x07\x1b[?25l\x1b\x1b[31m",
                   "\\x1b[2J\\x1b]0;t\\x07\\x1b[?25l\\x1b\x1b[31m");
    assert_escaped(&output, PROCESS_STDOUT, "c\x1b", "c");
    assert_escaped(&output, PROCESS_STDERR, "y\x1b[", "y");
    assert_escaped(&output, PROCESS_STDOUT, "[3", "");
    assert_escaped(&output, PROCESS_STDOUT, "2md", "\x1b[32md");
    assert_escaped(&output, PROCESS_STDERR, "2K", "\\x1b[2K");
    assert_escaped(&output, PROCESS_STDOUT, "\x1b[00000000000000000000000000000000m",
                   "\\x1b[00000000000000000000000000000000m");
    assert_escaped(&output, PROCESS_STDOUT, "\x1b[1", "");
    rest = escaped_output_rest(&output, PROCESS_STDOUT);
    assert_string_equal(rest, "\\x1b[1\x1b[0m");
    none = escaped_output_rest(&output, PROCESS_STDERR);
    assert_string_equal(none, "");
}

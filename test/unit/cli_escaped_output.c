#include "test.h"

#include "cli/escaped_output.h"

static void assert_escaped(struct escaped_output *output, enum process_stream stream,
                           const char *data, const char *expected)
{
    CLEANUP_FREE char *shown = escaped_output_text(output, stream, data, strlen(data));

    assert_string_equal(shown, expected);
}

static void escaped_output__escapes_control_characters(void **state)
{
    CLEANUP(escaped_output_release) struct escaped_output output = ESCAPED_OUTPUT_INIT;

    (void)state;
    assert_escaped(&output, PROCESS_STDOUT, "a\tb\n\n", "a\tb\n\n");
    assert_escaped(&output, PROCESS_STDOUT, "\x1b[31m\r\x07\x7f", "\\x1b[31m\\x0d\\x07\\x7f");
    assert_escaped(&output, PROCESS_STDOUT, "\xc2\x9b", "\\xc2\\x9b");
    assert_escaped(&output, PROCESS_STDOUT, "", "");
}

/* A character arrives in pieces while the other stream writes too. */
static void escaped_output__split_characters(void **state)
{
    CLEANUP(escaped_output_release) struct escaped_output output = ESCAPED_OUTPUT_INIT;

    (void)state;
    assert_escaped(&output, PROCESS_STDOUT, "x\xe2\x82", "x");
    assert_escaped(&output, PROCESS_STDERR, "y", "y");
    assert_escaped(&output, PROCESS_STDOUT, "\xac\n", "\xe2\x82\xac\n");
    assert_escaped(&output, PROCESS_STDOUT, "\xe2\x82", "");
    assert_escaped(&output, PROCESS_STDOUT, "z", "\\xe2\\x82z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escaped_output__escapes_control_characters),
        cmocka_unit_test(escaped_output__split_characters),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

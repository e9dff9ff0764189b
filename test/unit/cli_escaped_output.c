#include "test.h"

#include "cli/escaped_output.h"

static void check(struct escaped_output *output, enum process_stream stream, const char *data,
                  const char *expected)
{
    CLEANUP_FREE char *shown = escaped_output_text(output, stream, data, strlen(data));

    assert_string_equal(shown, expected);
}

static void escaped_output__control_characters(void **state)
{
    CLEANUP(escaped_output_release) struct escaped_output output = ESCAPED_OUTPUT_INIT;

    (void)state;
    check(&output, PROCESS_STDOUT, "a\tb\n\n", "a\tb\n\n");
    check(&output, PROCESS_STDOUT, "\x1b[31m\r\x07\x7f", "\\x1b[31m\\x0d\\x07\\x7f");
    check(&output, PROCESS_STDOUT, "\xc2\x9b", "\\xc2\\x9b");
    check(&output, PROCESS_STDOUT, "", "");
}

/* A character that comes in pieces, while the other stream goes on. */
static void escaped_output__characters_in_pieces(void **state)
{
    CLEANUP(escaped_output_release) struct escaped_output output = ESCAPED_OUTPUT_INIT;

    (void)state;
    check(&output, PROCESS_STDOUT, "x\xe2\x82", "x");
    check(&output, PROCESS_STDERR, "y", "y");
    check(&output, PROCESS_STDOUT, "\xac\n", "\xe2\x82\xac\n");
    check(&output, PROCESS_STDOUT, "\xe2\x82", "");
    check(&output, PROCESS_STDOUT, "z", "\\xe2\\x82z");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escaped_output__control_characters),
        cmocka_unit_test(escaped_output__characters_in_pieces),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

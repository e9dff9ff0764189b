#include "test.h"

#include "cli/command_line.h"

static const struct option known_options[] = {
    {"file", required_argument, NULL, 256},
    {"jobs", required_argument, NULL, 'j'},
    {"quiet", no_argument, NULL, 'q'},
    {NULL, 0, NULL, 0},
};

/* Parses one argument and asserts the message of its error. */
static void assert_refused(const char *argument, const char *message)
{
    char *copy = string_copy(argument);
    char *argv[] = {(char *)"command", copy, NULL};
    struct error error = ERROR_INIT;
    int option;

    opterr = 0;
    optind = 0;
    option = getopt_long(2, argv, ":j:q", known_options, NULL);
    assert_true(option == ':' || option == '?');
    assert_int_equal(
        command_line_refuse(option, "see isolator command --help", known_options, argument, &error),
        -1);
    assert_error(&error, ERROR_USAGE, message);
    free(copy);
}

static void command_line__refuses_wrong_options(void **state)
{
    (void)state;
    assert_refused("--file", "option '--file' needs a value");
    assert_refused("--jobs", "option '--jobs' needs a value");
    assert_refused("-j", "option '-j' needs a value");
    assert_refused("--quiet=1", "option '--quiet' takes no value");
    assert_refused("--quite", "unknown option '--quite'; did you mean --quiet?");
    assert_refused("--quite=1", "unknown option '--quite=1'; did you mean --quiet?");
    assert_refused("--frobnicate", "unknown option '--frobnicate'; see isolator command --help");
    assert_refused("--\x1b[31m", "unknown option '--\\x1b[31m'; see isolator command --help");
    assert_refused("-x", "unknown option '-x'; see isolator command --help");
    assert_refused("-\xc3\xa4", "unknown option '-\xc3\xa4'; see isolator command --help");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(command_line__refuses_wrong_options),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

#include "json.h"

#include "request/case_arguments.h"

/* A test that any output passes, and the members that say so. */
#define NO_EXPECTED "\"no_expected\": true"
#define ANY         "{" NO_EXPECTED "}"

struct fixture {
    struct error error;
    struct argument_reader reader;
    bool has_checker;
    struct case_requests tests;
};

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.error = ERROR_INIT};
    fixture->reader.error = &fixture->error;
    fixture->reader.workdir = "/workspace";
}

static void tear_down(struct fixture *fixture)
{
    error_release(&fixture->error);
    case_requests_release(&fixture->tests);
}

static int read_text(struct fixture *fixture, const char *text)
{
    json_t *value = json_of(text);
    const int result = case_arguments_read(&fixture->reader, "tests", value, fixture->has_checker,
                                           &fixture->tests);

    json_decref(value);
    return result;
}

static void read_good(struct fixture *fixture, const char *text)
{
    const int result = read_text(fixture, text);

    assert_no_error(&fixture->error);
    assert_int_equal(result, 0);
}

static void check_refused(const char *text, const char *message)
{
    struct fixture fixture;

    set_up(&fixture);
    assert_int_equal(read_text(&fixture, text), -1);
    if (fixture.error.kind != ERROR_USAGE && fixture.error.kind != ERROR_INPUT)
        fail_msg("an error of kind %d", fixture.error.kind);
    assert_error(&fixture.error, fixture.error.kind, message);
    tear_down(&fixture);
}

/* Likewise the second of two tests, with these members. */
static void check_wrong(const char *members, const char *message)
{
    CLEANUP_FREE char *text = string_format("[" ANY ", {%s}]", members);

    check_refused(text, message);
}

/* It decides, whether there is an answer or not. */
CASE(case_arguments__of_a_checker)
{
    struct fixture fixture;

    set_up(&fixture);
    fixture.has_checker = true;
    read_good(&fixture, "[{}, " ANY ", {\"expected_stdout\": \"\"}]");
    assert_true(fixture.tests.items[0].no_expected);
    assert_null(fixture.tests.items[0].expected);
    assert_true(fixture.tests.items[1].no_expected);
    assert_false(fixture.tests.items[2].no_expected);
    assert_string_equal(fixture.tests.items[2].expected, "");
    tear_down(&fixture);

    set_up(&fixture);
    fixture.has_checker = true;
    assert_int_equal(read_text(&fixture, "[{\"expected_stdout\": \"\", " NO_EXPECTED "}]"), -1);
    assert_error(&fixture.error, ERROR_USAGE,
                 "tests[0] has both expected_stdout and no_expected; give one of them");
    tear_down(&fixture);
}

CASE_WITH(case_arguments__defaults, set_up(fixture))
{
    const struct case_request *test;

    read_good(fixture, "[{\"expected_stdout\": \"a\"}]");
    assert_int_equal(fixture->tests.count, 1);
    test = &fixture->tests.items[0];
    assert_string_equal(test->name, "1");
    assert_null(test->stdin_data);
    assert_int_equal(test->stdin_file, -1);
    assert_int_equal(test->arguments.count, 0);
    assert_int_equal(test->environment.count, 0);
    assert_int_equal(test->files.count, 0);
    assert_string_equal(test->expected, "a");
    assert_false(test->no_expected);
    assert_int_equal(test->comparison.mode, COMPARE_TRIM);
    assert_false(test->comparison.ignore_case || test->comparison.exact_space);
    assert_true(test->comparison.absolute == 1e-6 && test->comparison.relative == 1e-6);
    assert_int_equal(test->max_output_bytes, 0);
    assert_true(test->timeout_seconds == 0);
    assert_true(test->cpu_seconds == 0);
}

CASE_WITH(case_arguments__all_members, set_up(fixture))
{
    const struct case_request *test;

    read_good(fixture,
              "[{\"name\": \"first\", \"stdin\": \"a\\u0000b\", \"arguments\": [\"x\", \"\"],"
              " \"environment\": {\"A\": \"1\"},"
              " \"files\": [{\"filename\": \"d/f\", \"content\": \"text\"}],"
              " \"expected_stdout\": \"c\\u0000\\n\", \"compare\": \"float\","
              " \"ignore_case\": true, \"exact_space\": true, \"tolerance\": 0,"
              " \"timeout_seconds\": 1.5, \"cpu_seconds\": 0.5, \"max_output_bytes\": 8}]");
    test = &fixture->tests.items[0];
    assert_string_equal(test->name, "first");
    assert_int_equal(test->stdin_file, -1); /* tests may be more than descriptors */
    assert_int_equal(test->stdin_length, 3);
    assert_memory_equal(test->stdin_data, "a\0b", 4);
    assert_int_equal(test->arguments.count, 2);
    assert_string_equal(test->arguments.items[0], "x");
    assert_string_equal(test->environment.items[0], "A=1");
    assert_string_equal(test->files.items[0].path, "d/f");
    assert_false(test->no_expected);
    assert_int_equal(test->expected_length, 3);
    assert_memory_equal(test->expected, "c\0\n", 4);
    assert_int_equal(test->comparison.mode, COMPARE_FLOAT);
    assert_true(test->comparison.ignore_case && test->comparison.exact_space);
    assert_true(test->comparison.absolute == 0 && test->comparison.relative == 0);
    assert_int_equal(test->max_output_bytes, 8);
    assert_true(test->timeout_seconds == 1.5);
    assert_true(test->cpu_seconds == 0.5);
}

/* The one that is not given is 0; `tolerance` is both. */
CASE_WITH(case_arguments__tolerances, set_up(fixture))
{
    static const struct {
        const char *members;
        double absolute, relative;
    } cases[] = {
        {"\"tolerance\": 0.5", 0.5, 0.5},
        {"\"absolute_tolerance\": 0.5", 0.5, 0},
        {"\"relative_tolerance\": 0.25", 0, 0.25},
        {"\"absolute_tolerance\": 0.5, \"relative_tolerance\": 0.25", 0.5, 0.25},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        CLEANUP_FREE char *text = string_format(
            "[{\"expected_stdout\": \"\", \"compare\": \"float\", %s}]", cases[i].members);

        read_good(fixture, text);
        if (fixture->tests.items[0].comparison.absolute != cases[i].absolute ||
            fixture->tests.items[0].comparison.relative != cases[i].relative)
            fail_msg("%s: %g, %g", cases[i].members, fixture->tests.items[0].comparison.absolute,
                     fixture->tests.items[0].comparison.relative);
        tear_down(fixture);
        set_up(fixture);
    }
}

/* The empty string is an expectation: nothing may be written. */
CASE_WITH(case_arguments__empty_and_null, set_up(fixture))
{
    read_good(fixture,
              "[{\"expected_stdout\": \"\", \"stdin\": \"\"},"
              " {\"name\": null, \"stdin\": null, \"arguments\": null,"
              "  \"environment\": null, \"files\": null, \"expected_stdout\": null," NO_EXPECTED ","
              "  \"compare\": null, \"tolerance\": null, \"timeout_seconds\": null,"
              "  \"cpu_seconds\": null}]");
    assert_string_equal(fixture->tests.items[0].expected, "");
    assert_int_equal(fixture->tests.items[0].expected_length, 0);
    assert_int_equal(fixture->tests.items[0].stdin_length, 0);
    assert_string_equal(fixture->tests.items[1].name, "2");
    assert_null(fixture->tests.items[1].expected);
    assert_true(fixture->tests.items[1].no_expected);
    assert_null(fixture->tests.items[1].stdin_data);
}

CASE(case_arguments__names)
{
    CLEANUP(strbuf_release) struct strbuf longest = STRBUF_INIT;
    CLEANUP_FREE char *enough = NULL, *more = NULL;
    struct fixture fixture;

    for (int i = 0; i < 255; i++)
        strbuf_addch(&longest, 'n');
    enough = string_format("[{\"name\": \"%s\"," NO_EXPECTED "}]", strbuf_string(&longest));
    more = string_format("\"name\": \"%sn\"", strbuf_string(&longest));
    set_up(&fixture);
    read_good(&fixture, enough);
    assert_int_equal(strlen(fixture.tests.items[0].name), 255);
    tear_down(&fixture);
    check_wrong(more, "tests[1].name must be a string of at most 255 bytes");
    check_wrong("\"name\": 1", "tests[1].name must be a string");
    check_wrong("\"name\": \"a\\u0000\"", "tests[1].name must be a string without NUL characters");
}

/* A test without a name has its number. */
CASE(case_arguments__equal_names)
{
    check_refused("[{\"name\": \"a\\n\"," NO_EXPECTED "}, {\"name\": \"b\"," NO_EXPECTED
                  "}, {\"name\": \"a\\n\"," NO_EXPECTED "}]",
                  "tests: there are two tests named 'a\\n'");
    check_refused("[{\"name\": \"2\"," NO_EXPECTED "}, " ANY "]",
                  "tests: there are two tests named '2'");
}

CASE(case_arguments__wrong_members)
{
    check_wrong("\"stdin\": 1", "tests[1].stdin must be a string");
    check_wrong(
        "\"arguments\": \"a\"",
        "tests[1].arguments must be an array of strings; text came, which is not that in JSON");
    check_wrong("\"arguments\": [1]", "tests[1].arguments[0] must be a string");
    check_wrong("\"environment\": {\"A=\": \"\"}",
                "tests[1].environment.A=: the name of a variable cannot have '=' in it");
    check_wrong("\"files\": [{\"filename\": \"/a\", \"content\": \"\"}]",
                "tests[1].files[0]: '/a' must be relative to the directory");
    check_wrong("\"expected_stdout\": [\"a\"]", "tests[1].expected_stdout must be a string");
    check_wrong("\"compare\": 1", "tests[1].compare must be a string");
    check_wrong("\"compare\": \"fuzzy\"", "tests[1].compare: 'fuzzy' is not a way to compare; use "
                                          "trim, exact, tokens, float or lines");
    check_wrong("\"tolerance\": -1", "tests[1].tolerance must be a number, 0 or greater");
    check_wrong("\"tolerance\": \"-1\"", "tests[1].tolerance must be a number, 0 or greater");
    check_wrong("\"tolerance\": \"x\"", "tests[1].tolerance must be a number, 0 or greater; text "
                                        "came, which is not that in JSON");
    check_wrong("\"relative_tolerance\": 1", "tests[1]: relative_tolerance needs compare float");
    check_wrong("\"exact_space\": true", "tests[1]: exact_space needs compare tokens or float");
    check_wrong("\"ignore_case\": 1", "tests[1].ignore_case must be true or false");
    check_wrong("\"max_output_bytes\": 0",
                "tests[1].max_output_bytes must be a whole number from 1 to 67108864");
    check_wrong("\"max_output_bytes\": 67108865",
                "tests[1].max_output_bytes must be a whole number from 1 to 67108864");
    check_wrong("\"timeout_seconds\": 0",
                "tests[1].timeout_seconds must be a number of seconds greater than 0");
    check_wrong("\"cpu_seconds\": 0",
                "tests[1].cpu_seconds must be a number of seconds greater than 0");
}

CASE(case_arguments__unknown_members)
{
    check_wrong("\"expected\": \"a\"",
                "tests[1] has no member 'expected'; known are: name, stdin, arguments, "
                "environment, files, expected_stdout, call_arguments, call_arguments_json, "
                "expected_value, expected_value_json, expected_values, expected_values_json, "
                "no_expected, compare, ignore_case, "
                "exact_space, tolerance, absolute_tolerance, relative_tolerance, timeout_seconds, "
                "cpu_seconds, max_output_bytes, group, points");
    check_wrong("\"\\u001b\": null",
                "tests[1] has no member '\\x1b'; known are: name, stdin, arguments, environment, "
                "files, expected_stdout, call_arguments, call_arguments_json, expected_value, "
                "expected_value_json, expected_values, expected_values_json, no_expected, compare, "
                "ignore_case, exact_space, tolerance, absolute_tolerance, relative_tolerance, "
                "timeout_seconds, cpu_seconds, "
                "max_output_bytes, group, points");
}

/* Such a test would pass whatever the program prints. */
CASE(case_arguments__nothing_expected)
{
    check_wrong("\"stdin\": \"1\"",
                "tests[1] has no expected_stdout; to check only the exit status, give "
                "\"no_expected\": true");
    check_wrong("\"expected_stdout\": null, \"no_expected\": false",
                "tests[1] has no expected_stdout; to check only the exit status, give "
                "\"no_expected\": true");
    check_wrong("\"expected_stdout\": \"\"," NO_EXPECTED,
                "tests[1] has both expected_stdout and no_expected; give one of them");
    check_wrong("\"no_expected\": 1", "tests[1].no_expected must be true or false");
}

CASE(case_arguments__no_array_of_objects)
{
    CLEANUP(strbuf_release) struct strbuf many = STRBUF_INIT;
    struct fixture fixture;

    check_refused("{}", "tests must be an array of 1 to 10000 tests");
    check_refused("[]", "tests must be an array of 1 to 10000 tests");
    check_refused("[" ANY ", 5]", "tests[1] must be an object");
    check_refused("[" ANY ", null]", "tests[1] must be an object");
    strbuf_addstr(&many, "[" ANY);
    for (int i = 1; i < 10000; i++)
        strbuf_addstr(&many, "," ANY);
    strbuf_addstr(&many, "]");
    set_up(&fixture);
    read_good(&fixture, strbuf_string(&many));
    assert_int_equal(fixture.tests.count, 10000);
    assert_string_equal(fixture.tests.items[9999].name, "10000");
    tear_down(&fixture);
    many.length--;
    strbuf_addstr(&many, "," ANY "]");
    check_refused(strbuf_string(&many), "tests must be an array of 1 to 10000 tests");
}

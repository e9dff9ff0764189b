#include "json.h"

#include "request/call_arguments.h"
#include "request/case_arguments.h"

struct fixture {
    struct error error;
    struct request request;
    struct reading reading;
};

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.error = ERROR_INIT};
    request_init(&fixture->request);
    fixture->reading.request = &fixture->request;
    fixture->reading.error = fixture->reading.values.error = &fixture->error;
    fixture->reading.values.workdir = "/workspace";
}

static void tear_down(struct fixture *fixture)
{
    error_release(&fixture->error);
    request_release(&fixture->request);
}

static int read_call(struct fixture *fixture, const char *text)
{
    json_t *value = json_of(text);
    const int result = call_argument_read(&fixture->reading, "call", value);

    json_decref(value);
    return result;
}

static int read_test(struct fixture *fixture, const char *members)
{
    CLEANUP_FREE char *text = string_format("[{%s}]", members);
    json_t *value = json_of(text);
    const int result = case_arguments_read(&fixture->reading.values, "tests", value, false,
                                           &fixture->request.tests);

    json_decref(value);
    return result;
}

CASE(call_arguments__function)
{
    struct fixture fixture;

    set_up(&fixture);
    assert_int_equal(read_call(&fixture, "{\"function\": \"two_Sum1\", \"class\": \"$A\"}"), 0);
    assert_string_equal(fixture.request.call.function, "two_Sum1");
    assert_string_equal(fixture.request.call.class_name, "$A");
    tear_down(&fixture);
    set_up(&fixture);
    assert_int_equal(read_call(&fixture, "{\"function\": \"f\", \"class\": null}"), 0);
    assert_null(fixture.request.call.class_name);
    tear_down(&fixture);
}

CASE(call_arguments__function_that_cannot_be)
{
    static const struct {
        const char *call, *message;
    } wrong[] = {
        {"[]", "call must be an object"},
        {"{}", "call needs a function"},
        {"{\"class\": \"A\"}", "call needs a function"},
        {"{\"function\": 1}", "call.function must be a string"},
        {"{\"function\": \"\"}", "call.function must be a name of letters, digits, _ and $"},
        {"{\"function\": \"1a\"}", "call.function must be a name of letters, digits, _ and $"},
        {"{\"function\": \"a.b\"}", "call.function must be a name of letters, digits, _ and $"},
        {"{\"function\": \"a\", \"class\": \"A()\"}",
         "call.class must be a name of letters, digits, _ and $"},
        {"{\"function\": \"a\", \"name\": \"b\"}",
         "call has no member 'name'; known are: function, class"},
    };

    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct fixture fixture;

        set_up(&fixture);
        assert_int_equal(read_call(&fixture, wrong[i].call), -1);
        assert_error(&fixture.error, ERROR_USAGE, wrong[i].message);
        tear_down(&fixture);
    }
}

/* The file that the driver gets, and what is expected. */
static void check_test(const char *members, const char *arguments, const char *expected)
{
    struct fixture fixture;
    const struct case_request *test;

    set_up(&fixture);
    read_test(&fixture, members);
    assert_no_error(&fixture.error);
    test = &fixture.request.tests.items[0];
    assert_true(test->is_call);
    assert_int_equal(test->files.count, 1);
    assert_string_equal(test->files.items[0].path, "isolator_call.json");
    assert_int_equal(test->files.items[0].length, strlen(arguments));
    assert_memory_equal(test->files.items[0].data, arguments, strlen(arguments));
    assert_string_equal(test->expected ? test->expected : "(none)", expected);
    assert_int_equal(test->expected_length, test->expected ? strlen(expected) : 0);
    tear_down(&fixture);
}

CASE(call_arguments__of_a_test)
{
    check_test("\"call_arguments\": [[2, 7], 9.5, \"a\"], \"expected_value\": [0, 1]",
               "[[2,7],9.5,\"a\"]", "[0,1]");
    check_test("\"call_arguments\": [], \"expected_value\": null", "[]", "null");
    check_test("\"call_arguments\": [], \"expected_value\": \"\"", "[]", "\"\"");
    check_test("\"call_arguments\": [], \"expected_value\": \"[1]\"", "[]", "\"[1]\"");
    check_test("\"call_arguments\": [], \"no_expected\": true", "[]", "(none)");
    check_test(
        "\"call_arguments_json\": \"[2, 7]\\n\\n 9\\r\\n\", \"expected_value_json\": \"[0, 1]\\n\"",
        "[[2, 7], 9\r]", "[0, 1]\n");
    check_test("\"call_arguments_json\": \"\", \"expected_value_json\": \"null\"", "[]", "null");
    check_test("\"call_arguments\": [], \"expected_values\": [[1], 1]", "[]", "[[1],1]");
    check_test("\"call_arguments\": [], \"expected_values_json\": \"[1]\\n\\n1\"", "[]", "[[1],1]");
    check_test("\"call_arguments_json\": \"18446744073709551616\", \"expected_value_json\": "
               "\"-18446744073709551616\"",
               "[18446744073709551616]", "-18446744073709551616");
}

CASE(call_arguments__tolerance)
{
    struct fixture fixture;
    const struct comparison_rule *rule;

    set_up(&fixture);
    read_test(&fixture, "\"call_arguments\": [], \"expected_value\": 1, \"tolerance\": 0.5");
    assert_no_error(&fixture.error);
    rule = &fixture.request.tests.items[0].comparison;
    assert_true(rule->absolute == 0.5 && rule->relative == 0.5);
    tear_down(&fixture);
    set_up(&fixture);
    read_test(&fixture, "\"call_arguments\": [], \"expected_value\": 1");
    rule = &fixture.request.tests.items[0].comparison;
    assert_true(rule->absolute == 1e-6 && rule->relative == 1e-6);
    tear_down(&fixture);
}

CASE(call_arguments__tests_that_cannot_be)
{
    static const struct {
        const char *members, *message;
    } wrong[] = {
        {"\"call_arguments\": {}, \"expected_value\": 1",
         "tests[0].call_arguments must be an array"},
        {"\"call_arguments\": [], \"call_arguments_json\": \"\", \"expected_value\": 1",
         "tests[0].call_arguments_json must be given once, as JSON or as text"},
        {"\"call_arguments_json\": \"1\\nx\", \"expected_value\": 1",
         "tests[0].call_arguments_json: 'x' is not a JSON value: invalid token near 'x'"},
        {"\"call_arguments_json\": \"1 2\", \"expected_value\": 1",
         "tests[0].call_arguments_json: '1 2' is not a JSON value: end of file expected near '2'"},
        {"\"call_arguments_json\": \"1],[2\", \"expected_value\": 1",
         "tests[0].call_arguments_json: '1],[2' is not a JSON value: end of file expected near "
         "']'"},
        {"\"call_arguments\": [], \"expected_value_json\": \"[1\"",
         "tests[0].expected_value_json: '[1' is not a JSON value: ']' expected near end of file"},
        {"\"call_arguments\": [], \"expected_value_json\": \"\\u0001\\n\"",
         "tests[0].expected_value_json: '\\x01\\n' is not a JSON value: invalid token near "
         "'\\x01'"},
        {"\"call_arguments\": [], \"expected_value\": 1, \"expected_value_json\": \"1\"",
         "tests[0].expected_value_json must be the only member that says what is expected"},
        {"\"call_arguments\": [], \"expected_value\": 1, \"expected_stdout\": \"1\"",
         "tests[0].expected_stdout must be the only member that says what is expected"},
        {"\"call_arguments\": [], \"expected_values\": []",
         "tests[0].expected_values must be one value at least"},
        {"\"call_arguments\": [], \"expected_values_json\": \"\\n\"",
         "tests[0].expected_values_json must be one value at least"},
        {"\"call_arguments\": [], \"expected_values\": 1",
         "tests[0].expected_values must be an array"},
        {"\"call_arguments\": [], \"expected_values_json\": \"1\\n,\"",
         "tests[0].expected_values_json: ',' is not a JSON value: unexpected token near ','"},
        {"\"call_arguments\": [], \"expected_value\": 1, \"expected_values\": [1]",
         "tests[0].expected_values must be the only member that says what is expected"},
        {"\"call_arguments\": [], \"expected_stdout\": \"1\"",
         "tests[0] calls a function, whose output is not compared; give expected_value in place of "
         "expected_stdout"},
        {"\"expected_value\": 1", "tests[0] has an expected value, but no call_arguments"},
        {"\"call_arguments\": []", "tests[0] has no expected_value; to check only the exit status, "
                                   "give \"no_expected\": true"},
        {"\"call_arguments\": [], \"expected_value\": 1, \"no_expected\": true",
         "tests[0] has both expected_value and no_expected; give one of them"},
        {"\"call_arguments\": [], \"expected_value\": 1, \"compare\": \"tokens\"",
         "tests[0] calls a function: compare, ignore_case and exact_space are for outputs"},
        {"\"call_arguments\": [], \"expected_value\": 1, \"ignore_case\": true",
         "tests[0] calls a function: compare, ignore_case and exact_space are for outputs"},
    };

    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct fixture fixture;

        set_up(&fixture);
        assert_int_equal(read_test(&fixture, wrong[i].members), -1);
        assert_error(&fixture.error, ERROR_USAGE, wrong[i].message);
        tear_down(&fixture);
    }
}

/* A line may have many texts: together they are bounded like the line. */
CASE(call_arguments__bounds_values)
{
    CLEANUP(strbuf_release) struct strbuf members = STRBUF_INIT;
    struct fixture fixture;

    strbuf_addstr(&members, "\"call_arguments_json\": \"[1");
    for (int i = 0; i < 200000; i++)
        strbuf_addstr(&members, ",1");
    strbuf_addstr(&members, "]\", \"no_expected\": true");
    set_up(&fixture);
    assert_int_equal(read_test(&fixture, strbuf_string(&members)), -1);
    assert_error(&fixture.error, ERROR_USAGE,
                 "tests[0].call_arguments_json must be shorter: the request has too many values");
    tear_down(&fixture);
}

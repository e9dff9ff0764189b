#include "test.h"

#include "judge/call_value.h"

/* Judges a report of `length` bytes about a test that expects 1, and whose program has ended so. */
static struct case_result judge(enum case_status status, const char *report, size_t length,
                                bool outcome_only)
{
    CLEANUP(strbuf_release) struct strbuf bytes = STRBUF_INIT;
    struct case_request test = CASE_REQUEST_INIT;
    struct case_result result = CASE_RESULT_INIT;
    char expected[] = "1";

    strbuf_add(&bytes, report, length);
    test.expected = expected;
    test.expected_length = 1;
    test.comparison.absolute = test.comparison.relative = 0;
    result.status = status;
    call_value_judge(&bytes, &test, 64, outcome_only, &result);
    assert_true(result.is_call);
    return result;
}

static void check_result(struct case_result *result, enum case_status status, const char *value,
                         const char *message)
{
    assert_string_equal(result->message ? result->message : "(none)", message);
    assert_string_equal(case_status_name(result->status), case_status_name(status));
    assert_string_equal(result->has_value ? strbuf_string(&result->value) : "(none)", value);
    case_result_release(result);
}

static void check(enum case_status before, const char *report, enum case_status status,
                  const char *value, const char *message)
{
    struct case_result result = judge(before, report, strlen(report), false);

    check_result(&result, status, value, message);
}

CASE(call_value__judges)
{
    check(TEST_PASSED, "{\"value\": 1}\n", TEST_PASSED, "1", "(none)");
    check(TEST_PASSED, "{\"value\": [2]}\n", TEST_WRONG_ANSWER, "[2]",
          "the value differs: expected '1', found '[2]'");
    check(TEST_PASSED, "", TEST_RUNTIME_ERROR, "(none)",
          "the program ended before its function returned a value");
    check(TEST_RUNTIME_ERROR, "{\"error\": \"no function\\n\"}\n", TEST_RUNTIME_ERROR, "(none)",
          "no function\\n");
    check(TEST_RUNTIME_ERROR, "{\"value\": 1}\n", TEST_RUNTIME_ERROR, "(none)", "(none)");
    check(TEST_TIMEOUT, "{\"value\": 1}\n", TEST_TIMEOUT, "(none)", "(none)");
    check(TEST_TIMEOUT, "", TEST_TIMEOUT, "(none)", "(none)");
}

/* A program may write to the descriptor of its driver. */
CASE(call_value__refuses_other_bytes)
{
    static const char *const reports[] = {
        "{\"value\": 1}",
        "{\"value\": 1}\n{\"value\": 1}\n",
        "{\"value\": 1}\n\n",
        "x{\"value\": 1}\n",
        "{\"value\": 1, \"error\": \"\"}\n",
        "{\"value\": 1, \"value\": 1}\n",
        "1\n",
        "\n",
        "{}\n",
    };

    for (size_t i = 0; i < COUNT(reports); i++)
        check(TEST_PASSED, reports[i], TEST_RUNTIME_ERROR, "(none)",
              "more or other bytes than one value were written to descriptor 3");
    check(TEST_PASSED, "{\"error\": \"x\"}\n", TEST_RUNTIME_ERROR, "(none)",
          "the report of the function has another form than that of its driver");
    check(TEST_PASSED, "{\"value\": {\"a\": 1}}\n", TEST_RUNTIME_ERROR, "(none)",
          "the report of the function has another form than that of its driver");
}

/* The report {"value": ...} with so many times the text in an array, and as many brackets. */
static struct case_result judge_many(size_t count, const char *text, size_t brackets)
{
    CLEANUP(strbuf_release) struct strbuf report = STRBUF_INIT;

    strbuf_addstr(&report, "{\"value\": ");
    for (size_t i = 0; i < brackets; i++)
        strbuf_addch(&report, '[');
    for (size_t i = 0; i < count; i++)
        strbuf_addf(&report, "%s%s", i > 0 ? "," : "", text);
    for (size_t i = 0; i < brackets; i++)
        strbuf_addch(&report, ']');
    strbuf_addstr(&report, "}\n");
    return judge(report.length > CALL_VALUE_MAX ? TEST_OUTPUT_LIMIT : TEST_PASSED, report.data,
                 report.length, true);
}

CASE(call_value__bounds)
{
    struct case_result result = judge_many(300000, "1", 1);

    check_result(&result, TEST_RUNTIME_ERROR, "(none)",
                 "the value of the function has more than 200000 elements");
    result = judge_many(0, "", 400);
    check_result(&result, TEST_RUNTIME_ERROR, "(none)",
                 "the value of the function has too many levels");
    result = judge_many(0, "", 399);
    check_result(&result, TEST_WRONG_ANSWER, "(none)", "the value is not the expected one");
    result = judge_many(3, "\"[[[[{{{{\\\"[[[\"", 399);
    check_result(&result, TEST_WRONG_ANSWER, "(none)", "the value is not the expected one");
    result = judge_many(2200000, "1", 1);
    check_result(&result, TEST_OUTPUT_LIMIT, "(none)",
                 "the value of the function has more than 4 MiB");
}

CASE(call_value__keeps_the_ends)
{
    static const char report[] =
        "{\"value\": "
        "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaz\"}\n";
    struct case_result result = judge(TEST_PASSED, report, strlen(report), false);

    assert_true(result.value_truncated);
    assert_string_equal(strbuf_string(&result.value),
                        "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n[... 12 bytes left out ...]\n"
                        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaz\"");
    case_result_release(&result);
}

CASE(call_value__hides_what_tells_the_test)
{
    struct case_result result = judge(TEST_RUNTIME_ERROR, "{\"error\": \"x\"}\n", 15, true);

    check_result(&result, TEST_RUNTIME_ERROR, "(none)", "the function returned no value");
    result = judge(TEST_PASSED, "{\"value\": 1}\n", 13, true);
    check_result(&result, TEST_PASSED, "(none)", "(none)");
}

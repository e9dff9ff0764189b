#include "judge/call_value.h"

#include <stdlib.h>
#include <string.h>

#include "base/capture.h"
#include "base/cleanup.h"
#include "base/json_text.h"
#include "base/text.h"
#include "compare/value_comparison.h"

/* Bytes of a driver's message that are shown. */
enum { MESSAGE_MAX = 300 };

/* Returns the report, a new reference: an object with one member. NULL: `*why` says what is wrong.
 */
static json_t *parse(const struct strbuf *report, const char **why)
{
    const size_t length = report->length;
    json_t *object = NULL;

    if (length == 0)
        *why = "the program ended before its function returned a value";
    else if (length > CALL_VALUE_MAX)
        *why = "the value of the function has more than 4 MiB";
    else if (json_text_count(report->data, length) > JSON_TEXT_VALUES_MAX)
        *why = "the value of the function has more than 200000 elements";
    else if (json_text_levels(report->data, length) > CALL_VALUE_LEVELS)
        *why = "the value of the function has too many levels";
    else if (memchr(report->data, '\n', length) != report->data + length - 1 ||
             !(object = json_text_parse_unique(report->data, length, NULL)) ||
             json_object_size(object) != 1)
        *why = "more or other bytes than one value were written to descriptor 3";
    if (!*why)
        return object;
    json_decref(object);
    return NULL;
}

static void fail(struct case_result *result, const char *message)
{
    if (result->status == TEST_PASSED)
        result->status = TEST_RUNTIME_ERROR;
    free(result->message);
    result->message = text_escape_short(message, MESSAGE_MAX);
}

static void keep_value(const json_t *value, size_t limit, struct case_result *result)
{
    struct capture capture = CAPTURE_INIT(limit);
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    value_show(&text, value);
    capture_add(&capture, text.data, text.length);
    result->value_truncated = capture_truncated(&capture);
    result->value = capture_take_text(&capture);
    strbuf_shrink(&result->value);
    result->has_value = true;
}

/* Whether it is expected. If not, the message says how it differs from the first value that is. */
static bool is_expected(const json_t *value, const struct case_request *test,
                        struct strbuf *message)
{
    json_t *expected = value_text_parse(test->expected, test->expected_length, NULL);
    bool equal;

    if (!test->expects_any) {
        equal = value_compare(expected, value, &test->comparison, message);
    } else {
        equal = value_compare(json_array_get(expected, 0), value, &test->comparison, message);
        for (size_t i = 1; i < json_array_size(expected) && !equal; i++)
            equal = value_compare(json_array_get(expected, i), value, &test->comparison, NULL);
    }
    json_decref(expected);
    return equal;
}

static void compare(const json_t *value, const struct case_request *test, bool outcome_only,
                    struct case_result *result)
{
    CLEANUP(strbuf_release) struct strbuf message = STRBUF_INIT;

    if (is_expected(value, test, &message))
        return;
    result->status = TEST_WRONG_ANSWER;
    result->message =
        outcome_only ? string_copy("the value is not the expected one") : strbuf_steal(&message);
}

/* What is wrong with the report of a program that has ended so; NULL: nothing. */
static const char *find_fault(enum case_status status, const struct strbuf *report,
                              const json_t *object, const char *why)
{
    const json_t *value = json_object_get(object, "value");

    if (status == TEST_OUTPUT_LIMIT)
        return report->length > CALL_VALUE_MAX ? why : NULL;
    if (status == TEST_RUNTIME_ERROR)
        return json_string_value(json_object_get(object, "error"));
    if (status != TEST_PASSED || (value && value_is_reported(value)))
        return NULL;
    return object ? "the report of the function has another form than that of its driver" : why;
}

void call_value_judge(const struct strbuf *report, const struct case_request *test, size_t limit,
                      bool outcome_only, struct case_result *result)
{
    const char *why = NULL;
    json_t *object = parse(report, &why);
    const char *fault = find_fault(result->status, report, object, why);
    const json_t *value = json_object_get(object, "value");

    result->is_call = true;
    if (fault) {
        fail(result, outcome_only && object ? "the function returned no value" : fault);
    } else if (result->status == TEST_PASSED) {
        if (!outcome_only)
            keep_value(value, limit, result);
        if (!test->no_expected)
            compare(value, test, outcome_only, result);
    }
    json_decref(object);
}

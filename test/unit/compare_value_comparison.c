#include "json.h"

#include <string.h>

#include "compare/value_comparison.h"

static const struct comparison_rule usual = {
    .mode = COMPARE_FLOAT, .tolerance = -1, .absolute = 1e-6, .relative = 1e-6};
static const struct comparison_rule exact = {
    .mode = COMPARE_FLOAT, .tolerance = -1, .absolute = 0, .relative = 0};

static json_t *expected_of(const char *text)
{
    json_t *value = value_text_parse(text, strlen(text), NULL);

    assert_non_null(value);
    return value;
}

/* The message is "" if they are equal. */
static void check(const struct comparison_rule *rule, const char *expected_text,
                  const char *difference_excerpt, const char *message)
{
    CLEANUP(strbuf_release) struct strbuf got = STRBUF_INIT;
    json_t *expected = expected_of(expected_text), *found = json_of(difference_excerpt);
    const bool equal = value_compare(expected, found, rule, &got);

    assert_true(value_is_reported(found));
    assert_string_equal(strbuf_string(&got), message);
    assert_int_equal(equal, *message == '\0');
    json_decref(expected);
    json_decref(found);
}

static void check_equal(const char *expected, const char *found)
{
    check(&usual, expected, found, "");
}

static void check_differs(const char *expected, const char *found)
{
    json_t *one = expected_of(expected), *other = json_of(found);

    assert_true(value_is_reported(other));
    if (value_compare(one, other, &usual, NULL))
        fail_msg("%s is equal to %s", expected, found);
    json_decref(one);
    json_decref(other);
}

CASE(value_compare__scalars)
{
    static const char *const values[] = {"null", "true", "false", "0", "1", "\"1\"", "\"\"", "[]"};

    for (size_t i = 0; i < COUNT(values); i++)
        for (size_t j = 0; j < COUNT(values); j++) {
            if (i == j)
                check_equal(values[i], values[j]);
            else
                check_differs(values[i], values[j]);
        }
}

CASE(value_compare__numbers)
{
    check_equal("9007199254740993", "9007199254740993");
    check_differs("9007199254740993", "9007199254740992");
    check_differs("1000000000", "1000000001"); /* integers have no tolerance */
    check_equal("2", "2.0");
    check_equal("0.3", "0.30000000000000004");
    check_equal("1000000.0", "1000000.9");
    check_differs("1000000.0", "1000001.1");
    check_equal("0.0", "0.0000009");
    check_differs("0.0", "0.0000011");
    check(&exact, "0.3", "0.30000000000000004",
          "the value differs: expected '0.3', found '0.30000000000000004'");
    check(&exact, "0.3", "0.3", "");
}

/* An integer may have more digits than a real number. */
CASE(value_compare__integers_and_real_numbers)
{
    check_equal("9007199254740993", "9007199254740992.0");
    check(&exact, "9007199254740992", "9007199254740992.0", "");
    check(&exact, "9007199254740993", "9007199254740992.0",
          "the value differs: expected '9007199254740993', found '9007199254740992.0'");
    check(&exact, "9007199254740992.0", "9007199254740993",
          "the value differs: expected '9007199254740992.0', found '9007199254740993'");
    check(&exact, "1180591620717411303424.0", "{\"number\": \"1180591620717411303424\"}", "");
    check(&exact, "1180591620717411303424.0", "{\"number\": \"1180591620717411303425\"}",
          "the value differs: expected '1.1805916207174113e21', found '1180591620717411303425'");
    check(&exact, "-9223372036854775808", "-9223372036854775808.0", "");
    check(&exact, "9223372036854775807", "9223372036854775808.0",
          "the value differs: expected '9223372036854775807', found '9.223372036854776e18'");
    check(&exact, "-2", "-2.0", "");
    check(&exact, "0", "-0.0", "");
    check(&exact, "2", "2.5", "the value differs: expected '2', found '2.5'");
    check(&exact, "2.5", "2", "the value differs: expected '2.5', found '2'");
    check(&exact, "1e308", "{\"number\": \"Infinity\"}",
          "the value differs: expected '1e308', found 'Infinity'");
}

CASE(value_compare__numbers_that_json_has_not)
{
    check_differs("0", "{\"number\": \"NaN\"}");
    check_differs("0.5", "{\"number\": \"NaN\"}");
    check_differs("1e308", "{\"number\": \"Infinity\"}");
    check_differs("-1e308", "{\"number\": \"-Infinity\"}");
    check_equal("1.1805916207174113e21", "{\"number\": \"1180591620717411303424\"}");
    check_equal("5", "{\"number\": \"5\"}"); /* a BigInt of JavaScript */
    check_equal("-5", "{\"number\": \"-5\"}");
    check_differs("5", "{\"number\": \"6\"}");
    check_differs("\"NaN\"", "{\"number\": \"NaN\"}");
    check_differs("{\"number\": \"5\"}", "{\"number\": \"5\"}");
}

/* Texts of 19 digits and more are compared like shorter ones. */
CASE(value_compare__integers_of_any_size)
{
    const char *big = "1180591620717411303424";

    check_equal(big, "{\"number\": \"1180591620717411303424\"}");
    check_equal("-1180591620717411303424", "{\"number\": \"-1180591620717411303424\"}");
    check(&usual, big, "{\"number\": \"1180591620717411303425\"}",
          "the value differs: expected '1180591620717411303424', found '1180591620717411303425'");
    check(&usual, "{\"a\": [1180591620717411303424]}", "{\"dict\": {\"a\": [1]}}",
          "the value at '[\"a\"][0]' differs: expected '1180591620717411303424', found '1'");
    check_equal(big, "1.1805916207174113e21");
    check_equal(big, "1.1805916207e21");
    check(&exact, big, "1.1805916207174113e21", "");
    check(&exact, big, "1.1805916208e21",
          "the value differs: expected '1180591620717411303424', found '1.1805916208e21'");
    check_equal("9223372036854775807", "9223372036854775807");
    check_differs("9223372036854775807", "9223372036854775806");
    check_differs(big, "\"1180591620717411303424\"");
    check_differs("\"1180591620717411303424\"", "{\"number\": \"1180591620717411303424\"}");
    check_differs(big, "[]");
}

CASE(value_compare__arrays_and_dictionaries)
{
    check_equal("[1, [2, \"a\"], null]", "[1, [2, \"a\"], null]");
    check_equal("{\"a\": [1], \"b\": {}}", "{\"dict\": {\"b\": {\"dict\": {}}, \"a\": [1.0]}}");
    check(&usual, "[1, 2]", "[1]", "the value differs: expected '[1, 2]', found '[1]'");
    check(&usual, "[[1], [2, 3]]", "[[1], [2, 4]]",
          "the value at '[1][1]' differs: expected '3', found '4'");
    check(&usual, "{\"a\": {\"b\\n\": 1}}", "{\"dict\": {\"a\": {\"dict\": {\"b\\n\": \"1\"}}}}",
          "the value at '[\"a\"][\"b\\n\"]' differs: expected '1', found '\"1\"'");
    check(&usual, "{\"a\": 1}", "{\"dict\": {\"b\": 1}}",
          "the value differs: expected '{\"a\": 1}', found '{\"b\": 1}'");
    check_differs("{\"a\": 1}", "{\"dict\": {\"a\": 1, \"b\": 2}}");
    check_differs("{}", "[]");
    check_differs("{\"dict\": {}}", "{\"dict\": {}}");
}

CASE(value_compare__sets)
{
    check_equal("[3, 1, 2]", "{\"set\": [1, 2, 3]}");
    check_equal("[]", "{\"set\": []}");
    check_equal("[[1, 2], [2, 1]]", "{\"set\": [[2, 1], {\"set\": [2, 1]}]}");
    check_equal("[0.3]", "{\"set\": [0.30000000000000004]}");
    check_differs("[1, 1]", "{\"set\": [1, 2]}");
    check_differs("[1, 2]", "{\"set\": [1, 2, 3]}");
    check_differs("{\"set\": [1]}", "{\"set\": [1]}");
    check_differs("[2, 1]", "[1, 2]");
    check(&usual, "[[1], [3, 2]]", "[[1], {\"set\": [4, 3]}]",
          "the value at '[1]' differs: expected '[3, 2]', found '[4, 3]'");
}

/* A program may return a set that is compared for as long as it likes. */
CASE(value_compare__bounds_the_work)
{
    CLEANUP(strbuf_release) struct strbuf expected = STRBUF_INIT, found = STRBUF_INIT;

    strbuf_addstr(&expected, "[-1");
    strbuf_addstr(&found, "{\"set\": [-2");
    for (int i = 0; i < 20000; i++) {
        strbuf_addf(&expected, ",%d", i);
        strbuf_addf(&found, ",%d", 19999 - i);
    }
    strbuf_addstr(&expected, ",-3]");
    strbuf_addstr(&found, ",-3]}");
    check(&usual, strbuf_string(&expected) + 0, strbuf_string(&found),
          "the value differs: expected '[-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, "
          "16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 2...', found '[-2, 19999, 19998, 19997, "
          "19996, "
          "19995, 19994, 19993, 19992, 19991, 19990, 19989, 19988, 19987, 1998...'");

    expected.data[2] = '2'; /* both have the same, and each search goes almost all round */
    check(&usual, strbuf_string(&expected), strbuf_string(&found),
          "the sets in the value are too large to be compared");
}

/* Long numbers count as more values: both have the same, and each search goes almost all round. */
CASE(value_compare__bounds_the_work_with_long_numbers)
{
    enum { COUNT_OF_EACH = 300, DIGITS = 8000 };
    CLEANUP(strbuf_release) struct strbuf expected = STRBUF_INIT, found = STRBUF_INIT;

    for (int i = 0; i < COUNT_OF_EACH; i++) {
        strbuf_addf(&expected, "%s%d", i > 0 ? "," : "[", i);
        strbuf_addf(&found, "%s{\"number\": \"%0*d\"}", i > 0 ? "," : "{\"set\": [", DIGITS,
                    COUNT_OF_EACH - 1 - i);
    }
    strbuf_addstr(&expected, "]");
    strbuf_addstr(&found, "]}");
    check(&usual, strbuf_string(&expected), strbuf_string(&found),
          "the sets in the value are too large to be compared");
}

CASE(value_is_reported__other_forms)
{
    static const char *const forms[] = {
        "{}",
        "{\"a\": 1}",
        "{\"dict\": []}",
        "{\"set\": {}}",
        "{\"dict\": {}, \"set\": []}",
        "{\"number\": 1}",
        "{\"number\": \"\"}",
        "{\"number\": \"-\"}",
        "{\"number\": \"1.5\"}",
        "{\"number\": \"1\\u0000\"}",
        "[[{\"a\": 1}]]",
        "{\"dict\": {\"a\": {}}}",
        "{\"set\": [{}]}",
    };

    for (size_t i = 0; i < COUNT(forms); i++) {
        json_t *found = json_of(forms[i]);

        if (value_is_reported(found))
            fail_msg("%s", forms[i]);
        json_decref(found);
    }
}

CASE(value_show__all_types)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    json_t *found =
        json_of("[null, true, 1, 0.1, \"a\\u0000\\\"\", {\"dict\": {\"a\\n\": {\"set\": [2]}, "
                "\"b\": {\"dict\": {}}}}, {\"number\": \"-Infinity\"}, []]");

    value_show(&text, found);
    assert_string_equal(strbuf_string(&text),
                        "[null, true, 1, 0.1, \"a\\u0000\\\"\", {\"a\\n\": [2], "
                        "\"b\": {}}, -Infinity, []]");
    json_decref(found);
}

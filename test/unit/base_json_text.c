#include "json.h"

#include "base/json_text.h"
#include "base/memory.h"

#define REPLACED "\xef\xbf\xbd"

static json_t *parse(const char *text)
{
    json_t *value = json_text_parse(text, strlen(text), NULL);

    if (!value)
        fail_msg("'%s' is not read", text);
    return value;
}

/* ---- reading */

static void check_parsed(const char *text, const char *expected)
{
    check_new_json(parse(text), expected);
}

CASE(json_text__parses_any_value)
{
    check_parsed("{\"a\": [1, 2.5, null, true, \"x\"]}", "{\"a\":[1,2.5,null,true,\"x\"]}");
    check_parsed(" 1 ", "1");
    check_parsed("\"caf\xc3\xa9\"", "\"caf\xc3\xa9\"");
    check_parsed("\"\\u00e9\\ud83d\\ude00\"", "\"\xc3\xa9\xf0\x9f\x98\x80\"");
}

CASE(json_text__mends_half_pairs)
{
    check_parsed("\"\\ud83d\"", "\"" REPLACED "\"");
    check_parsed("\"\\uD83D\"", "\"" REPLACED "\"");
    check_parsed("\"\\ude00\"", "\"" REPLACED "\"");
    check_parsed("\"a\\udbffz\"", "\"a" REPLACED "z\"");
    check_parsed("\"a\\udfffz\"", "\"a" REPLACED "z\"");
    check_parsed("\"\\ude00\\ud83d\"", "\"" REPLACED REPLACED "\"");
    check_parsed("\"\\ud83d\\u0041\"", "\"" REPLACED "A\"");
    check_parsed("\"\\ud83d\\n\"", "\"" REPLACED "\\n\"");
    check_parsed("{\"\\ud83d\": 1}", "{\"" REPLACED "\":1}");
}

CASE(json_text__mending_leaves_the_rest_alone)
{
    check_parsed("\"\\ud83d\\ud83d\\ude00\"", "\"" REPLACED "\xf0\x9f\x98\x80\"");
    check_parsed("\"\\ud83d\\ude00\\ude00\"", "\"\xf0\x9f\x98\x80" REPLACED "\"");
    check_parsed("[\"\\\\ud83d\", \"\\ud83d\"]", "[\"\\\\ud83d\",\"" REPLACED "\"]");
    check_parsed("[\"\\\\\\ud83d\"]", "[\"\\\\" REPLACED "\"]");
    check_parsed("[\"\\ud7ff\\ue000\", \"\\ud800\"]",
                 "[\"\xed\x9f\xbf\xee\x80\x80\",\"" REPLACED "\"]");
    check_parsed("[\"\\u0041\\\"\", \"\\ud800\"]", "[\"A\\\"\",\"" REPLACED "\"]");
}

CASE(json_text__mending_does_not_touch_the_line)
{
    static const char line[] = "[\"\\ud83d\"]";
    CLEANUP_FREE char *copy = string_copy(line);

    check_parsed(copy, "[\"" REPLACED "\"]");
    assert_string_equal(copy, line);
}

CASE(json_text__nul_escapes)
{
    json_t *value = parse("\"a\\u0000b\"");

    assert_int_equal(json_string_length(value), 3);
    assert_memory_equal(json_string_value(value), "a\0b", 4);
    check_new_json(value, "\"a\\u0000b\"");
}

CASE(json_text__what_is_no_json)
{
    static const char *const bad[] = {
        "",
        "{",
        "nul",
        "{} {}",
        "'a'",
        "[1,]",
        "\"\xff\"",
        "\"\\ud8\"",
        "\"\\ud83d",
        "\"\\uzzzz\"",
        "\"\\u+123\"",
        "\"\\u 123\"",
        "\"\\\"",
        "\"\xed\xa0\xbd\"",
        "[\"\\ud83d\", \xff]",
    };
    CLEANUP_FREE char *deep = memory_allocate(100001);

    for (size_t i = 0; i < COUNT(bad); i++)
        if (json_text_parse(bad[i], strlen(bad[i]), NULL))
            fail_msg("'%s' is read", bad[i]);
    memset(deep, '[', 100000);
    assert_null(json_text_parse(deep, 100000, NULL));
    assert_null(json_text_parse("1 ", 0, NULL));
}

CASE(json_text__members_that_are_there_twice)
{
    static const char *const lines[] = {
        "{\"a\":1,\"a\":2}", "[{\"b\":{\"a\":1,\"a\":1}}]", "{\"a\":1,\"\\u0061\":2}",
        "{\"a\":\"\\ud83d\",\"a\":2}", /* with half a pair */
    };

    check_parsed(lines[0], "{\"a\":2}");
    for (size_t i = 0; i < COUNT(lines); i++) {
        json_error_t where;

        assert_null(json_text_parse_unique(lines[i], strlen(lines[i]), &where));
        assert_int_equal(json_error_code(&where), json_error_duplicate_key);
    }
    check_new_json(json_text_parse_unique("[{\"a\":1},{\"a\":1}]", 17, NULL),
                   "[{\"a\":1},{\"a\":1}]");
}

static void check_count(const char *line, size_t expected)
{
    assert_int_equal(json_text_count(line, strlen(line)), expected);
}

CASE(json_text__counts_values)
{
    check_count("", 1);
    check_count("7", 1);
    check_count("{}", 2);
    check_count("[{},{},[]]", 7);
    check_count("{\"a\":1,\"b\":[2]}", 4);
    check_count("\"{,[\\\",\",3", 2); /* in a string, after an escaped quote */
    check_count("\"\\\\\",3", 2);
}

static void check_levels(const char *line, size_t expected)
{
    assert_int_equal(json_text_levels(line, strlen(line)), expected);
}

CASE(json_text__counts_levels)
{
    check_levels("", 0);
    check_levels("7", 0);
    check_levels("[7]", 1);
    check_levels("{\"a\":[{}],\"b\":[[]]}", 3);
    check_levels("[[],[],[[]]]", 3);
    check_levels("\"[[[\\\"[[\",[[", 2); /* in a string, after an escaped quote */
    check_levels("]]]][[", 2);
}

/* Each number comes back the same, with the fewest digits that all of them need. */
CASE(json_text__real_numbers)
{
    static const char *const texts[] = {"0.1",
                                        "[0.5,-1.5,1e22]",
                                        "0.10000000000000001",
                                        "1.7976931348623157e308",
                                        "2.2250738585072014e-308",
                                        "{\"a\":[{\"b\":0.30000000000000004}],\"c\":0.1}",
                                        "123456789.12345679"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        json_t *value = parse(texts[i]), *again;
        char *text = json_dumps(value, json_text_flags(value) | JSON_ENCODE_ANY);

        again = parse(text);
        if (!json_equal(value, again))
            fail_msg("%s became %s", texts[i], text);
        json_decref(value);
        json_decref(again);
        free(text);
    }
    assert_int_equal(json_text_flags(NULL), JSON_COMPACT | JSON_REAL_PRECISION(15));
}

CASE(json_text__hints)
{
    static const struct {
        const char *text, *hint;
    } texts[] = {
        {"", "it is empty"},
        {" \t\n", "it is empty"},
        {"{// a\n}", "JSON has no comments"},
        {"{\"a\": 1 /* b */}", "JSON has no comments"},
        {"# a", "JSON has no comments"},
        {"{'a': 1}", "strings in JSON have double quotes"},
        {"{\"a\": 1, \n}", "JSON has no comma before a bracket that closes"},
        {"[1,]", "JSON has no comma before a bracket that closes"},
        {"{\"//\": \"#'\\\"//\" \"x\"", NULL},
        {"[1,", NULL},
        {"/", NULL},
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        const char *hint = json_text_hint(texts[i].text, strlen(texts[i].text));

        assert_string_equal(hint ? hint : "(none)", texts[i].hint ? texts[i].hint : "(none)");
    }
    assert_null(json_text_hint("a\0#", 2)); /* a NUL is no end */
}

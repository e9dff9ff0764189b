#include "test.h"

#include "cli/safe_json.h"

static int add(const char *piece, size_t length, void *text)
{
    strbuf_add(text, piece, length);
    return 0;
}

static int failing_write(const char *piece, size_t length, void *context)
{
    (void)piece, (void)length, (void)context;
    return -1;
}

/* Asserts the safe JSON of a string, and that it still decodes to the string. */
static void assert_dumped(const char *string, size_t length, const char *expected)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    json_t *value = json_stringn(string, length);
    json_t *again;

    assert_non_null(value);
    assert_int_equal(safe_json_dump(value, JSON_ENCODE_ANY, add, &text), 0);
    assert_string_equal(strbuf_string(&text), expected);
    again = json_loads(text.data, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    assert_true(json_equal(value, again));
    json_decref(again);
    json_decref(value);
}

CASE(safe_json__escapes_control_characters)
{
    assert_dumped("", 0, "\"\"");
    assert_dumped("plain \xc3\xa4", 8, "\"plain \xc3\xa4\"");
    assert_dumped("\0\x1b[2J", 5, "\"\\u0000\\u001B[2J\"");
    assert_dumped("\x7f", 1, "\"\\u007f\"");
    assert_dumped("a\x7f\x7f"
                  "b",
                  4, "\"a\\u007f\\u007fb\"");
    assert_dumped("\xc2\x80\xc2\x9b\xc2\x9f", 6, "\"\\u0080\\u009b\\u009f\"");
    assert_dumped("\xc2\xa0\xc3\x80", 4, "\"\xc2\xa0\xc3\x80\""); /* no control characters */
}

/* Given as code points, because they are invisible in a source file. */
CASE(safe_json__escapes_invisible_characters)
{
    assert_dumped("a\xe2\x80\xae"
                  "b",
                  5, "\"a\\u202eb\"");
    assert_dumped("\xe2\x80\xaa\xe2\x80\xad", 6, "\"\\u202a\\u202d\"");
    assert_dumped("\xe2\x81\xa6\xe2\x81\xa9", 6, "\"\\u2066\\u2069\"");
    assert_dumped("\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c", 8, "\"\\u200e\\u200f\\u061c\"");
    assert_dumped("\xe2\x80\xa8\xe2\x80\xa9", 6, "\"\\u2028\\u2029\"");
    assert_dumped("\xe2\x80\x8b\xef\xbb\xbf", 6, "\"\\u200b\\ufeff\"");
    assert_dumped("\xf3\xa0\x80\x81", 4, "\"\\udb40\\udc01\""); /* U+E0001, two of UTF-16 */
    assert_dumped("\xe2\x80\x8d\xe2\x82\xac\xf0\x9f\x98\x80", 10,
                  "\"\xe2\x80\x8d\xe2\x82\xac\xf0\x9f\x98\x80\""); /* a joiner, a euro, an emoji */
}

CASE(safe_json__keys_and_indentation)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    json_t *object = json_pack("{s:[i]}", "\xe2\x80\xae", 1);

    assert_int_equal(safe_json_dump(object, JSON_INDENT(1), add, &text), 0);
    assert_string_equal(strbuf_string(&text), "{\n \"\\u202e\": [\n  1\n ]\n}");
    json_decref(object);
}

CASE(safe_json__failing_write)
{
    json_t *value = json_string("a\x7f");

    assert_int_equal(safe_json_dump(value, JSON_ENCODE_ANY, failing_write, NULL), -1);
    json_decref(value);
}

#include "test.h"

#include "base/json_make.h"

static void check_json(json_t *value, const char *expected)
{
    CLEANUP_FREE char *text = json_dumps(value, JSON_ENCODE_ANY);

    json_decref(value);
    assert_string_equal(text, expected);
}

static void json_make__values(void **state)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    (void)state;
    check_json(json_make_text("a"), "\"a\"");
    check_json(json_make_text(NULL), "null");
    check_json(json_make_count(0), "0");
    check_json(json_make_count(9223372036854775807), "9223372036854775807");
    check_json(json_make_count(-1), "null");
    check_json(json_make_taken(&text), "\"\"");
    strbuf_add(&text, "a\0b", 3);
    check_json(json_make_taken(&text), "\"a\\u0000b\"");
    assert_int_equal(text.length, 0);
    assert_null(text.data);
}

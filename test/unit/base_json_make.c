#include "test.h"

#include "base/json_make.h"

static void check_json(json_t *value, const char *expected)
{
    CLEANUP_FREE char *text = json_dumps(value, JSON_ENCODE_ANY);

    json_decref(value);
    assert_string_equal(text, expected);
}

CASE(json_make__values)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

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

/* What is no UTF-8 comes back as it was. */
CASE(json_make__any_text)
{
    static const char *const texts[] = {"", "a", "\xc3\xa9", "\xe9", "a\xff\n", "{\"base64\"}"};
    static const struct {
        const char *text, *json;
    } cases[] = {{"a", "\"a\""}, {"a\xe9", "{\"base64\":\"Yek=\"}"}, {NULL, "null"}};

    for (size_t i = 0; i < COUNT(texts); i++) {
        json_auto_t *value = json_make_any_text(texts[i]);
        CLEANUP_FREE char *again = json_read_any_text(value);

        assert_text_or_null(again, texts[i]);
    }
    for (size_t i = 0; i < COUNT(cases); i++) {
        json_auto_t *value = json_make_any_text(cases[i].text);
        CLEANUP_FREE char *json = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

        assert_string_equal(json, cases[i].json);
    }
}

CASE(json_make__list)
{
    static const char *const wrong[] = {"null", "{}", "\"a\"", "[\"a\", 7]"};
    CLEANUP(strvec_release) struct strvec list = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec again = STRVEC_INIT;
    json_auto_t *value = NULL;

    check_json(json_make_list(&list), "[]");
    strvec_push(&list, "a");
    strvec_push(&list, "a\xe9");
    value = json_make_list(&list);
    assert_true(json_read_list(value, &again));
    assert_int_equal(again.count, 2);
    assert_string_equal(again.items[1], "a\xe9");
    check_json(json_incref(value), "[\"a\", {\"base64\": \"Yek=\"}]");
    for (size_t i = 0; i < COUNT(wrong); i++) {
        json_auto_t *other = json_loads(wrong[i], JSON_DECODE_ANY, NULL);

        if (json_read_list(other, &again))
            fail_msg("%s is taken for a list", wrong[i]);
    }
}

CASE(json_make__no_text)
{
    static const char *const values[] = {"null",
                                         "7",
                                         "[]",
                                         "{}",
                                         "{\"base64\": 7}",
                                         "{\"base64\": \"*\"}",
                                         "{\"base64\": \"AAA=\"}",
                                         "\"a\\u0000b\""};

    assert_null(json_read_any_text(NULL));
    for (size_t i = 0; i < COUNT(values); i++) {
        json_auto_t *value = json_loads(values[i], JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
        CLEANUP_FREE char *text = json_read_any_text(value);

        assert_non_null(value);
        if (text)
            fail_msg("%s is taken for '%s'", values[i], text);
    }
}

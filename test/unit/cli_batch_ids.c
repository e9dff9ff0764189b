#include "test.h"

#include "base/json_text.h"
#include "cli/batch/batch_ids.h"

static long long add(struct batch_ids *ids, const char *text, long long line)
{
    json_t *id = json_text_parse(text, strlen(text), NULL);
    const long long found = batch_ids_add(ids, id, line);

    assert_non_null(id);
    json_decref(id);
    return found;
}

static long long find(const struct batch_ids *ids, const char *text)
{
    json_t *id = json_text_parse(text, strlen(text), NULL);
    const long long found = batch_ids_find(ids, id);

    json_decref(id);
    return found;
}

CASE(batch_ids__different_ids)
{
    static const char *const texts[] = {
        "1",
        "\"1\"",
        "1.0",
        "-1",
        "\"\"",
        "\"a\"",
        "\"A\"",
        "\"a\\u0000\"",
        "[]",
        "[1, 2]",
        "[2, 1]",
        "{}",
        "{\"a\": 1}",
        "{\"a\": 2}",
        "true",
        "false",
        "1e100",
        "12345678901234567",
        "12345678901234568",
    };
    CLEANUP(batch_ids_release) struct batch_ids ids = BATCH_IDS_INIT;

    assert_int_equal(find(&ids, "1"), 0);
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_int_equal(find(&ids, texts[i]), 0);
        assert_int_equal(add(&ids, texts[i], (long long)i + 1), 0);
    }
    for (size_t i = 0; i < COUNT(texts); i++)
        assert_int_equal(find(&ids, texts[i]), i + 1);
    assert_int_equal(ids.count, COUNT(texts));
}

/* As an id comes back in a result. */
CASE(batch_ids__the_same_id)
{
    static const char *const pairs[][2] = {
        {"\"\\u0061\"", "\"a\""},
        {"\"\\ud83d\"", "\"\xef\xbf\xbd\""},
        {"{\"b\": 1, \"a\": [2]}", "{\"a\":[2],\"b\":1}"},
        {"0.1", "0.10000000000000000555"},
        {"1e2", "100.0"},
    };
    CLEANUP(batch_ids_release) struct batch_ids ids = BATCH_IDS_INIT;

    for (size_t i = 0; i < COUNT(pairs); i++) {
        assert_int_equal(add(&ids, pairs[i][0], (long long)i + 1), 0);
        assert_int_equal(find(&ids, pairs[i][1]), i + 1);
        assert_int_equal(add(&ids, pairs[i][1], 100), i + 1);
        assert_int_equal(find(&ids, pairs[i][0]), i + 1);
    }
}

CASE(batch_ids__many)
{
    enum { MANY = 20000 };
    CLEANUP(batch_ids_release) struct batch_ids ids = BATCH_IDS_INIT;

    for (int i = 1; i <= MANY; i++) {
        CLEANUP_FREE char *text = string_format("\"HumanEval/%d\"", i);

        assert_int_equal(add(&ids, text, i), 0);
    }
    assert_int_equal(ids.count, MANY);
    assert_in_range(ids.capacity, MANY, 2 * MANY);
    for (int i = 1; i <= MANY; i++) {
        CLEANUP_FREE char *text = string_format("\"HumanEval/%d\"", i);

        assert_int_equal(find(&ids, text), i);
    }
    assert_int_equal(find(&ids, "\"HumanEval/0\""), 0);
}

#include "test.h"

#include "base/clock.h"
#include "base/memory.h"
#include "mcp/result_store.h"

/* Replaces the clock of this program. */
static long long now = 1000;

long long clock_now_ms(void)
{
    return now;
}

/* Stores a result with these texts. */
static void add(struct result_store *store, const char *out, const char *err,
                char id[STORED_ID_SIZE])
{
    struct strbuf text[2] = {STRBUF_INIT, STRBUF_INIT};
    struct stored_result *stored = stored_result_new();

    strbuf_addstr(&text[0], out);
    strbuf_addstr(&text[1], err);
    memcpy(id, stored_result_id(stored), STORED_ID_SIZE);
    stored_result_add(stored, "stdout", "text/plain", &text[0]);
    stored_result_add(stored, "stderr", "text/csv", &text[1]);
    result_store_add(store, stored);
    for (int i = 0; i < 2; i++) {
        assert_null(text[i].data);
        assert_int_equal(text[i].length, 0);
    }
}

/* Stores a result with this many bytes of stdout. */
static void add_bytes(struct result_store *store, size_t length, char id[STORED_ID_SIZE])
{
    CLEANUP_FREE char *out = memory_allocate(length + 1);

    memset(out, 'o', length);
    out[length] = '\0';
    add(store, out, "", id);
}

/* Checks the text of a stream; NULL: the result has no such stream. */
static void check(struct result_store *store, const char *id, int stream, const char *expected)
{
    struct strbuf text = STRBUF_INIT;
    const char *type = result_store_read(store, id, stream_names[stream], &text);

    if (expected)
        assert_string_equal(type, stream == 0 ? "text/plain" : "text/csv");
    else
        assert_null(type);
    assert_string_equal(strbuf_string(&text), expected ? expected : "");
    strbuf_release(&text);
}

static bool has(struct result_store *store, const char *id)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    return result_store_read(store, id, "stdout", &text) != NULL;
}

static void result_store__results_can_be_read(void **state)
{
    char one[STORED_ID_SIZE], other[STORED_ID_SIZE];
    struct result_store store;

    (void)state;
    result_store_init(&store);
    add(&store, "out 1", "err 1", one);
    add(&store, "", "err 2", other);
    check(&store, one, 0, "out 1");
    check(&store, one, 1, "err 1");
    check(&store, other, 0, "");
    check(&store, other, 1, "err 2");
    check(&store, one, 0, "out 1"); /* reading removes nothing */
    result_store_release(&store);
}

static void result_store__any_bytes(void **state)
{
    struct strbuf data = STRBUF_INIT;
    struct strbuf read = STRBUF_INIT;
    struct stored_result *stored = stored_result_new();
    char id[STORED_ID_SIZE];
    struct result_store store;

    (void)state;
    result_store_init(&store);
    memcpy(id, stored_result_id(stored), sizeof id);
    strbuf_add(&data, "a\0b", 3);
    stored_result_add(stored, "files/x", "application/octet-stream", &data);
    result_store_add(&store, stored);
    strbuf_addstr(&read, "before ");
    assert_null(result_store_read(&store, id, "files/", &read));
    assert_null(result_store_read(&store, id, "x", &read));
    assert_string_equal(result_store_read(&store, id, "files/x", &read),
                        "application/octet-stream");
    assert_int_equal(read.length, 10);
    assert_memory_equal(read.data, "before a\0b", 11);
    strbuf_release(&read);
    result_store_release(&store);
}

static void result_store__ids_are_random(void **state)
{
    char one[STORED_ID_SIZE], other[STORED_ID_SIZE];
    struct result_store store;

    (void)state;
    result_store_init(&store);
    add(&store, "", "", one);
    add(&store, "", "", other);
    assert_int_equal(strlen(one), 16);
    assert_int_equal(strspn(one, "0123456789abcdef"), 16);
    assert_string_not_equal(one, other);
    result_store_release(&store);
}

static void result_store__unknown_ids(void **state)
{
    char id[STORED_ID_SIZE], start[STORED_ID_SIZE];
    struct result_store store;

    (void)state;
    result_store_init(&store);
    check(&store, "0123456789abcdef", 0, NULL);
    add(&store, "out", "err", id);
    check(&store, "", 0, NULL);
    check(&store, "0123456789abcdef", 0, NULL);
    check(&store, "0123456789abcdef0", 0, NULL);
    memcpy(start, id, sizeof start);
    start[15] = '\0';
    check(&store, start, 0, NULL);
    result_store_release(&store);
}

/* All results together have 16 MiB; each needs a little more than its bytes. */
static void result_store__the_oldest_make_room(void **state)
{
    enum { COUNT_OF_RUNS = 40 };
    char ids[COUNT_OF_RUNS][STORED_ID_SIZE];
    struct result_store store;
    int kept = 0;

    (void)state;
    result_store_init(&store);
    for (int i = 0; i < COUNT_OF_RUNS; i++) {
        add_bytes(&store, STORED_TEXT_MAX, ids[i]);
        assert_true(has(&store, ids[i]));
        if (store.bytes > 16777216)
            fail_msg("%zu bytes are kept", store.bytes);
    }
    while (kept < COUNT_OF_RUNS && has(&store, ids[COUNT_OF_RUNS - 1 - kept]))
        kept++;
    assert_in_range(kept, 8, 18); /* a buffer may be twice as large as its content */
    for (int i = 0; i < COUNT_OF_RUNS - kept; i++)
        assert_false(has(&store, ids[i]));
    result_store_release(&store);
}

static void result_store__a_result_larger_than_the_store(void **state)
{
    char small[STORED_ID_SIZE], large[STORED_ID_SIZE], next[STORED_ID_SIZE];
    struct result_store store;

    (void)state;
    result_store_init(&store);
    add(&store, "small", "", small);
    add_bytes(&store, 17000000, large);
    assert_false(has(&store, small));
    add(&store, "next", "", next);
    assert_false(has(&store, large));
    check(&store, next, 0, "next");
    result_store_release(&store);
}

/* After 15 minutes. */
static void result_store__old_ones_are_dropped(void **state)
{
    char one[STORED_ID_SIZE], other[STORED_ID_SIZE];
    struct result_store store;

    (void)state;
    result_store_init(&store);
    add(&store, "one", "", one);
    now += 1;
    add(&store, "other", "", other);
    now += 899999;
    check(&store, one, 0, "one");
    now += 1;
    check(&store, one, 0, NULL);
    check(&store, other, 0, "other");
    now += 1;
    check(&store, other, 0, NULL);
    assert_int_equal(store.bytes, 0);
    add(&store, "new", "", one);
    check(&store, one, 0, "new");
    result_store_release(&store);
}

static void result_store__an_empty_result_is_not_stored(void **state)
{
    struct result_store store;

    (void)state;
    result_store_init(&store);
    result_store_add(&store, stored_result_new());
    assert_null(store.first);
    assert_int_equal(store.bytes, 0);
    result_store_release(&store);
}

static void result_store__release_of_an_empty_store(void **state)
{
    struct result_store store;

    (void)state;
    result_store_init(&store);
    result_store_release(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(result_store__results_can_be_read),
        cmocka_unit_test(result_store__any_bytes),
        cmocka_unit_test(result_store__ids_are_random),
        cmocka_unit_test(result_store__unknown_ids),
        cmocka_unit_test(result_store__the_oldest_make_room),
        cmocka_unit_test(result_store__a_result_larger_than_the_store),
        cmocka_unit_test(result_store__old_ones_are_dropped),
        cmocka_unit_test(result_store__an_empty_result_is_not_stored),
        cmocka_unit_test(result_store__release_of_an_empty_store),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

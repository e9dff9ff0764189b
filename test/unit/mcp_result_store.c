#include "test.h"

#include "base/clock.h"
#include "base/memory.h"
#include "mcp/result_store.h"

/* The clock that everything here sees. */
static long long now = 1000;

long long clock_now_ms(void)
{
    return now;
}

/* Adds a run with these texts; they are left empty. */
static void add(struct result_store *store, const char *out, const char *err,
                char id[RESULT_ID_SIZE])
{
    struct strbuf text[2] = {STRBUF_INIT, STRBUF_INIT};
    struct run *run = stored_result_new();

    strbuf_addstr(&text[0], out);
    strbuf_addstr(&text[1], err);
    memcpy(id, stored_result_id(run), RESULT_ID_SIZE);
    stored_result_add(run, "stdout", "text/plain", &text[0]);
    stored_result_add(run, "stderr", "text/csv", &text[1]);
    result_store_keep(store, run);
    for (int i = 0; i < 2; i++) {
        assert_null(text[i].data);
        assert_int_equal(text[i].length, 0);
    }
}

/* Adds a run whose stdout has so many bytes. */
static void add_bytes(struct result_store *store, size_t length, char id[RESULT_ID_SIZE])
{
    CLEANUP_FREE char *out = memory_allocate(length + 1);

    memset(out, 'o', length);
    out[length] = '\0';
    add(store, out, "", id);
}

/* Checks a stream; NULL: there is none of that name. */
static void check(struct result_store *store, const char *id, int stream, const char *expected)
{
    struct strbuf text = STRBUF_INIT;
    const char *type = result_store_read(store, id, run_streams[stream], &text);

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

static void result_store__are_kept(void **state)
{
    char one[RESULT_ID_SIZE], other[RESULT_ID_SIZE];
    struct result_store store;

    (void)state;
    result_store_init(&store);
    add(&store, "out 1", "err 1", one);
    add(&store, "", "err 2", other);
    check(&store, one, 0, "out 1");
    check(&store, one, 1, "err 1");
    check(&store, other, 0, "");
    check(&store, other, 1, "err 2");
    check(&store, one, 0, "out 1"); /* reading takes nothing away */
    result_store_release(&store);
}

static void result_store__text_of_any_bytes_is_added(void **state)
{
    struct strbuf data = STRBUF_INIT;
    struct strbuf read = STRBUF_INIT;
    struct run *run = stored_result_new();
    char id[RESULT_ID_SIZE];
    struct result_store store;

    (void)state;
    result_store_init(&store);
    memcpy(id, stored_result_id(run), sizeof id);
    strbuf_add(&data, "a\0b", 3);
    stored_result_add(run, "files/x", "application/octet-stream", &data);
    result_store_keep(&store, run);
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
    char one[RESULT_ID_SIZE], other[RESULT_ID_SIZE];
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
    char id[RESULT_ID_SIZE], start[RESULT_ID_SIZE];
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

/* 16 MiB of all, and what each takes beside its bytes. */
static void result_store__oldest_make_room(void **state)
{
    enum { COUNT_OF_RUNS = 40 };
    char ids[COUNT_OF_RUNS][RESULT_ID_SIZE];
    struct result_store store;
    int kept = 0;

    (void)state;
    result_store_init(&store);
    for (int i = 0; i < COUNT_OF_RUNS; i++) {
        add_bytes(&store, RUN_TEXT_MAX, ids[i]);
        assert_true(has(&store, ids[i]));
        if (store.bytes > 16777216)
            fail_msg("%zu bytes are kept", store.bytes);
    }
    while (kept < COUNT_OF_RUNS && has(&store, ids[COUNT_OF_RUNS - 1 - kept]))
        kept++;
    assert_in_range(kept, 8, 18); /* a buffer may be twice as large as what is in it */
    for (int i = 0; i < COUNT_OF_RUNS - kept; i++)
        assert_false(has(&store, ids[i]));
    result_store_release(&store);
}

static void result_store__one_larger_than_the_room(void **state)
{
    char small[RESULT_ID_SIZE], large[RESULT_ID_SIZE], next[RESULT_ID_SIZE];
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

/* A quarter of an hour. */
static void result_store__old_ones_are_dropped(void **state)
{
    char one[RESULT_ID_SIZE], other[RESULT_ID_SIZE];
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

static void result_store__one_with_nothing_in_it_is_not_kept(void **state)
{
    struct result_store store;

    (void)state;
    result_store_init(&store);
    result_store_keep(&store, stored_result_new());
    assert_null(store.first);
    assert_int_equal(store.bytes, 0);
    result_store_release(&store);
}

static void result_store__release_of_none(void **state)
{
    struct result_store store;

    (void)state;
    result_store_init(&store);
    result_store_release(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(result_store__are_kept),
        cmocka_unit_test(result_store__text_of_any_bytes_is_added),
        cmocka_unit_test(result_store__ids_are_random),
        cmocka_unit_test(result_store__unknown_ids),
        cmocka_unit_test(result_store__oldest_make_room),
        cmocka_unit_test(result_store__one_larger_than_the_room),
        cmocka_unit_test(result_store__old_ones_are_dropped),
        cmocka_unit_test(result_store__one_with_nothing_in_it_is_not_kept),
        cmocka_unit_test(result_store__release_of_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

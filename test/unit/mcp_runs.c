#include "test.h"

#include "base/duration.h"
#include "mcp/runs.h"

/* The clock that everything here sees. */
static long long now = 1000;

long long clock_now_ms(void)
{
    return now;
}

/* Adds a run with these texts; they are left empty. */
static void add(struct runs *runs, const char *out, const char *err, char id[RUN_ID_SIZE])
{
    struct strbuf text[2] = {STRBUF_INIT, STRBUF_INIT};
    struct run *run = run_new();

    strbuf_addstr(&text[0], out);
    strbuf_addstr(&text[1], err);
    memcpy(id, run_id(run), RUN_ID_SIZE);
    run_add(run, "stdout", "text/plain", &text[0]);
    run_add(run, "stderr", "text/csv", &text[1]);
    runs_keep(runs, run);
    for (int i = 0; i < 2; i++) {
        assert_null(text[i].data);
        assert_int_equal(text[i].length, 0);
    }
}

/* Adds a run whose stdout has so many bytes. */
static void add_bytes(struct runs *runs, size_t length, char id[RUN_ID_SIZE])
{
    CLEANUP_FREE char *out = memory_allocate(length + 1);

    memset(out, 'o', length);
    out[length] = '\0';
    add(runs, out, "", id);
}

/* Checks a stream; NULL: there is none of that name. */
static void check(struct runs *runs, const char *id, int stream, const char *expected)
{
    struct strbuf text = STRBUF_INIT;
    const char *type = runs_read(runs, id, run_streams[stream], &text);

    if (expected)
        assert_string_equal(type, stream == 0 ? "text/plain" : "text/csv");
    else
        assert_null(type);
    assert_string_equal(strbuf_string(&text), expected ? expected : "");
    strbuf_release(&text);
}

static bool has(struct runs *runs, const char *id)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    return runs_read(runs, id, "stdout", &text) != NULL;
}

static void runs__are_kept(void **state)
{
    char one[RUN_ID_SIZE], other[RUN_ID_SIZE];
    struct runs runs;

    (void)state;
    runs_init(&runs);
    add(&runs, "out 1", "err 1", one);
    add(&runs, "", "err 2", other);
    check(&runs, one, 0, "out 1");
    check(&runs, one, 1, "err 1");
    check(&runs, other, 0, "");
    check(&runs, other, 1, "err 2");
    check(&runs, one, 0, "out 1"); /* reading takes nothing away */
    runs_release(&runs);
}

static void runs__text_of_any_bytes_is_added(void **state)
{
    struct strbuf data = STRBUF_INIT;
    struct strbuf read = STRBUF_INIT;
    struct run *run = run_new();
    char id[RUN_ID_SIZE];
    struct runs runs;

    (void)state;
    runs_init(&runs);
    memcpy(id, run_id(run), sizeof id);
    strbuf_add(&data, "a\0b", 3);
    run_add(run, "files/x", "application/octet-stream", &data);
    runs_keep(&runs, run);
    strbuf_addstr(&read, "before ");
    assert_null(runs_read(&runs, id, "files/", &read));
    assert_null(runs_read(&runs, id, "x", &read));
    assert_string_equal(runs_read(&runs, id, "files/x", &read), "application/octet-stream");
    assert_int_equal(read.length, 10);
    assert_memory_equal(read.data, "before a\0b", 11);
    strbuf_release(&read);
    runs_release(&runs);
}

static void runs__ids_are_random(void **state)
{
    char one[RUN_ID_SIZE], other[RUN_ID_SIZE];
    struct runs runs;

    (void)state;
    runs_init(&runs);
    add(&runs, "", "", one);
    add(&runs, "", "", other);
    assert_int_equal(strlen(one), 16);
    assert_int_equal(strspn(one, "0123456789abcdef"), 16);
    assert_string_not_equal(one, other);
    runs_release(&runs);
}

static void runs__unknown_ids(void **state)
{
    char id[RUN_ID_SIZE], start[RUN_ID_SIZE];
    struct runs runs;

    (void)state;
    runs_init(&runs);
    check(&runs, "0123456789abcdef", 0, NULL);
    add(&runs, "out", "err", id);
    check(&runs, "", 0, NULL);
    check(&runs, "0123456789abcdef", 0, NULL);
    check(&runs, "0123456789abcdef0", 0, NULL);
    memcpy(start, id, sizeof start);
    start[15] = '\0';
    check(&runs, start, 0, NULL);
    runs_release(&runs);
}

/* 16 MiB of all, and what each takes beside its bytes. */
static void runs__oldest_make_room(void **state)
{
    enum { COUNT_OF_RUNS = 40 };
    char ids[COUNT_OF_RUNS][RUN_ID_SIZE];
    struct runs runs;
    int kept = 0;

    (void)state;
    runs_init(&runs);
    for (int i = 0; i < COUNT_OF_RUNS; i++) {
        add_bytes(&runs, RUN_TEXT_MAX, ids[i]);
        assert_true(has(&runs, ids[i]));
        if (runs.bytes > 16777216)
            fail_msg("%zu bytes are kept", runs.bytes);
    }
    while (kept < COUNT_OF_RUNS && has(&runs, ids[COUNT_OF_RUNS - 1 - kept]))
        kept++;
    assert_in_range(kept, 8, 18); /* a buffer may be twice as large as what is in it */
    for (int i = 0; i < COUNT_OF_RUNS - kept; i++)
        assert_false(has(&runs, ids[i]));
    runs_release(&runs);
}

static void runs__one_larger_than_the_room(void **state)
{
    char small[RUN_ID_SIZE], large[RUN_ID_SIZE], next[RUN_ID_SIZE];
    struct runs runs;

    (void)state;
    runs_init(&runs);
    add(&runs, "small", "", small);
    add_bytes(&runs, 17000000, large);
    assert_false(has(&runs, small));
    add(&runs, "next", "", next);
    assert_false(has(&runs, large));
    check(&runs, next, 0, "next");
    runs_release(&runs);
}

/* A quarter of an hour. */
static void runs__old_ones_are_dropped(void **state)
{
    char one[RUN_ID_SIZE], other[RUN_ID_SIZE];
    struct runs runs;

    (void)state;
    runs_init(&runs);
    add(&runs, "one", "", one);
    now += 1;
    add(&runs, "other", "", other);
    now += 899999;
    check(&runs, one, 0, "one");
    now += 1;
    check(&runs, one, 0, NULL);
    check(&runs, other, 0, "other");
    now += 1;
    check(&runs, other, 0, NULL);
    assert_int_equal(runs.bytes, 0);
    add(&runs, "new", "", one);
    check(&runs, one, 0, "new");
    runs_release(&runs);
}

static void runs__one_with_nothing_in_it_is_not_kept(void **state)
{
    struct runs runs;

    (void)state;
    runs_init(&runs);
    runs_keep(&runs, run_new());
    assert_null(runs.first);
    assert_int_equal(runs.bytes, 0);
    runs_release(&runs);
}

static void runs__release_of_none(void **state)
{
    struct runs runs;

    (void)state;
    runs_init(&runs);
    runs_release(&runs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(runs__are_kept),
        cmocka_unit_test(runs__text_of_any_bytes_is_added),
        cmocka_unit_test(runs__ids_are_random),
        cmocka_unit_test(runs__unknown_ids),
        cmocka_unit_test(runs__oldest_make_room),
        cmocka_unit_test(runs__one_larger_than_the_room),
        cmocka_unit_test(runs__old_ones_are_dropped),
        cmocka_unit_test(runs__one_with_nothing_in_it_is_not_kept),
        cmocka_unit_test(runs__release_of_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

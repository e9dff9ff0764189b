#include "test.h"

#include "base/memory.h"
#include "mcp/result_store.h"

/* The limit of bytes of the stores. */
enum { STORE_BYTES = 1 << 20 };

static void add_part(struct stored_result *stored, const char *name, const char *type,
                     const char *text)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    assert_int_equal(stored_result_add(stored, name, type, text, strlen(text), &error), 0);
}

/* Stores a result with these texts. */
static void add(struct result_store *store, const char *out, const char *err,
                char id[STORED_ID_SIZE])
{
    struct stored_result *stored = stored_result_new(NULL, 0);

    memcpy(id, stored_result_id(stored), STORED_ID_SIZE);
    add_part(stored, "stdout", "text/plain", out);
    add_part(stored, "stderr", "text/csv", err);
    result_store_add(store, stored);
}

/* Stores a result with this many bytes of stdout. */
static void add_bytes(struct result_store *store, size_t length, char id[STORED_ID_SIZE])
{
    CLEANUP_FREE char *out = memory_allocate(length + 1);

    memset(out, 'o', length);
    out[length] = '\0';
    add(store, out, "", id);
}

/* Returns "TYPE CONTENT" of a part, or the message; owned by the caller. */
static char *read_part(struct result_store *store, const char *id, const char *name)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *data = NULL;
    struct stored_part part;

    if (result_store_open(store, id, name, &part, &error) != 0) {
        assert_int_equal(error.kind, ERROR_INPUT);
        return string_copy(error.message);
    }
    data = memory_allocate((size_t)part.range.length + 1);
    assert_int_equal(
        shared_file_read(part.range.file, part.range.offset, data, (size_t)part.range.length), 0);
    data[part.range.length] = '\0';
    shared_file_release(part.range.file);
    return string_format("%s %s", part.mime_type, data);
}

static void check(struct result_store *store, const char *id, const char *name,
                  const char *expected)
{
    CLEANUP_FREE char *got = read_part(store, id, name);

    assert_string_equal(got, expected);
}

static const char UNKNOWN[] =
    "this server knows no such run; copy the uri from the result of a call";

static void check_gone(struct result_store *store, const char *id)
{
    CLEANUP_FREE char *expected =
        string_format("the files of the run '%s' are gone: newer ones needed their room; run the "
                      "program again",
                      id);

    check(store, id, "stdout", expected);
}

static bool has(struct result_store *store, const char *id)
{
    CLEANUP_FREE char *got = read_part(store, id, "stdout");

    return strncmp(got, "text/plain ", 11) == 0;
}

CASE(result_store__results_can_be_read)
{
    char one[STORED_ID_SIZE], other[STORED_ID_SIZE];
    struct result_store store;

    result_store_init(&store, STORE_BYTES);
    add(&store, "out 1", "err 1", one);
    add(&store, "", "err 2", other);
    check(&store, one, "stdout", "text/plain out 1");
    check(&store, one, "stderr", "text/csv err 1");
    check(&store, other, "stdout", "text/plain ");
    check(&store, other, "stderr", "text/csv err 2");
    check(&store, one, "stdout", "text/plain out 1"); /* reading removes nothing */
    result_store_release(&store);
}

/* Files of a run that are in a file already, and one that is added to it. */
CASE(result_store__the_file_of_a_run)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct shared_file *file = shared_file_create(&error);
    struct stored_result *stored;
    struct file_range range;
    char id[STORED_ID_SIZE];
    struct result_store store;

    assert_int_equal(shared_file_write(file, 0, "xxab\0c", 6), 0);
    result_store_init(&store, STORE_BYTES);
    stored = stored_result_new(file, 6);
    memcpy(id, stored_result_id(stored), sizeof id);
    range = (struct file_range){file, 2, 2};
    stored_result_add_range(stored, "files/x", "text/plain", &range);
    assert_int_equal(stored_result_add(stored, "files/y", "text/csv", "yy", 2, &error), 0);
    shared_file_release(file);
    result_store_add(&store, stored);
    assert_int_equal(store.bytes, 8);
    check(&store, id, "files/x", "text/plain ab");
    check(&store, id, "files/y", "text/csv yy");
    result_store_release(&store);
}

CASE(result_store__unknown_parts)
{
    CLEANUP_FREE char *expected = NULL;
    char id[STORED_ID_SIZE];
    struct result_store store;

    result_store_init(&store, STORE_BYTES);
    add(&store, "out", "err", id);
    expected = string_format("the run '%s' has no 'files/\\n'; it has: stdout, stderr", id);
    check(&store, id, "files/\n", expected);
    result_store_release(&store);
}

CASE(result_store__ids_are_random)
{
    char one[STORED_ID_SIZE], other[STORED_ID_SIZE];
    struct result_store store;

    result_store_init(&store, STORE_BYTES);
    add(&store, "", "", one);
    add(&store, "", "", other);
    assert_int_equal(strlen(one), 16);
    assert_int_equal(strspn(one, "0123456789abcdef"), 16);
    assert_string_not_equal(one, other);
    result_store_release(&store);
}

CASE(result_store__unknown_ids)
{
    char id[STORED_ID_SIZE], start[STORED_ID_SIZE];
    struct result_store store;

    result_store_init(&store, STORE_BYTES);
    check(&store, "0123456789abcdef", "stdout", UNKNOWN);
    add(&store, "out", "err", id);
    check(&store, "", "stdout", UNKNOWN);
    check(&store, "0123456789abcdef", "stdout", UNKNOWN);
    check(&store, "0123456789abcdef0", "stdout", UNKNOWN);
    memcpy(start, id, sizeof start);
    start[15] = '\0';
    check(&store, start, "stdout", UNKNOWN);
    result_store_release(&store);
}

CASE(result_store__the_oldest_make_room)
{
    char ids[4][STORED_ID_SIZE];
    struct result_store store;

    result_store_init(&store, STORE_BYTES);
    for (int i = 0; i < 3; i++)
        add_bytes(&store, STORE_BYTES / 4, ids[i]);
    assert_int_equal(store.bytes, STORE_BYTES / 4 * 3);
    add_bytes(&store, STORE_BYTES / 2, ids[3]);
    assert_int_equal(store.bytes, STORE_BYTES);
    check_gone(&store, ids[0]);
    for (int i = 1; i < 4; i++)
        assert_true(has(&store, ids[i]));
    add(&store, "x", "", ids[0]);
    check_gone(&store, ids[1]);
    assert_true(has(&store, ids[2]));
    result_store_release(&store);
}

/* Each result has an open file. The ids of the last thousand that were dropped are known. */
CASE(result_store__only_so_many_results)
{
    char first[STORED_ID_SIZE], second[STORED_ID_SIZE], id[STORED_ID_SIZE];
    struct result_store store;

    result_store_init(&store, STORE_BYTES);
    add(&store, "1", "", first);
    add(&store, "2", "", second);
    for (int i = 0; i < 498; i++)
        add(&store, "x", "", id);
    assert_true(has(&store, first));
    add(&store, "x", "", id);
    check_gone(&store, first);
    assert_true(has(&store, second));
    for (int i = 0; i < 999; i++)
        add(&store, "x", "", id);
    check_gone(&store, first);
    add(&store, "x", "", id);
    check(&store, first, "stdout", UNKNOWN);
    check_gone(&store, second);
    assert_int_equal(store.count, 500);
    result_store_release(&store);
}

/* Who has opened a part keeps it. */
CASE(result_store__a_part_outlives_its_result)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    char id[STORED_ID_SIZE], other[STORED_ID_SIZE], data[3];
    struct stored_part part;
    struct result_store store;

    result_store_init(&store, STORE_BYTES);
    add(&store, "out", "", id);
    assert_int_equal(result_store_open(&store, id, "stdout", &part, &error), 0);
    add_bytes(&store, STORE_BYTES, other);
    check_gone(&store, id);
    result_store_release(&store);
    assert_int_equal(shared_file_read(part.range.file, part.range.offset, data, 3), 0);
    assert_memory_equal(data, "out", 3);
    shared_file_release(part.range.file);
}

CASE(result_store__a_result_larger_than_the_store)
{
    char small[STORED_ID_SIZE], large[STORED_ID_SIZE], next[STORED_ID_SIZE];
    struct result_store store;

    result_store_init(&store, STORE_BYTES);
    add(&store, "small", "", small);
    add_bytes(&store, STORE_BYTES + 1, large);
    check_gone(&store, small);
    add(&store, "next", "", next);
    check_gone(&store, large);
    check(&store, next, "stdout", "text/plain next");
    result_store_release(&store);
}

CASE(result_store__an_empty_result_is_not_stored)
{
    struct result_store store;

    result_store_init(&store, STORE_BYTES);
    result_store_add(&store, stored_result_new(NULL, 0));
    assert_null(store.first);
    assert_int_equal(store.bytes, 0);
    result_store_release(&store);
}

CASE(result_store__release_of_an_empty_store)
{
    struct result_store store;

    result_store_init(&store, STORE_BYTES);
    result_store_release(&store);
}

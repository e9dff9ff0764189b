#include "test.h"

#include "cli/batch/batch_table.h"

static void assert_row(struct batch_table *table, const char *id, const struct result *result,
                       const char *expected)
{
    json_t *value = id ? json_loads(id, JSON_DECODE_ANY, NULL) : NULL;
    CLEANUP_FREE char *row = batch_table_row(table, value, 7, result);

    json_decref(value);
    assert_string_equal(row, expected);
}

/* The names of the columns stand above the first row, and the first column grows. */
CASE(batch_table__ids)
{
    struct result result = RESULT_INIT;
    struct batch_table table;

    batch_table_init(&table);
    result.error = string_copy("no");
    assert_row(&table, NULL, &result,
               "ID      RESULT              TIME     MEMORY  DETAIL\n"
               "line 7  engine                 -          -  no\n");
    assert_row(&table, "\"a\\n\\u202eb\"", &result,
               "a\\n\\xe2\\x80\\xaeb  engine                 -          -  no\n");
    assert_row(&table, "{\"a\": [1.5, null]}", &result,
               "{\"a\":[1.5,null]}  engine                 -          -  no\n");
    assert_row(&table, "1", &result, "1                 engine                 -          -  no\n");
    result_release(&result);
}

CASE(batch_table__jobs)
{
    json_t *id = json_integer(1);
    struct batch_table table;
    CLEANUP_FREE char *first = NULL;
    CLEANUP_FREE char *second = NULL;

    batch_table_init(&table);
    first = batch_table_job_row(&table, id, 1, "0123456789abcdef");
    second = batch_table_job_row(&table, NULL, 2, "fedcba9876543210");
    assert_string_equal(first, "ID  RESULT              TIME     MEMORY  DETAIL\n"
                               "1   started                -          -  job 0123456789abcdef\n");
    assert_string_equal(second,
                        "line 2  started                -          -  job fedcba9876543210\n");
    json_decref(id);
}

/* What a program has said last follows what is wrong, or is all there is. */
CASE(batch_table__details)
{
    struct result result = RESULT_INIT;
    struct batch_table table;

    batch_table_init(&table);
    result.reason = REASON_EXIT;
    result.exit_code = 0;
    result.duration_ms = 14;
    result.peak_bytes = 3 << 20;
    strbuf_addstr(&result.text[0], "one\ntwo \x1b[2J\n \n");
    strbuf_addstr(&result.text[1], "a warning\nValueError: bad\n");
    assert_row(&table, "1", &result,
               "ID  RESULT              TIME     MEMORY  DETAIL\n"
               "1   success            14 ms     3.0 MB  two \\x1b[2J\n");
    result.exit_code = 1;
    result.error = string_copy("program exited with status 1");
    assert_row(&table, "1", &result,
               "1   exit               14 ms     3.0 MB  program exited with status 1: "
               "ValueError: bad\n");
    result.reason = REASON_TIMEOUT;
    result.text[1].length = 0;
    assert_row(&table, "1", &result,
               "1   timeout            14 ms     3.0 MB  program exited with status 1\n");
    result_release(&result);
}

/*
 * The results of tests for a person: a table with a line for each test, printed one by one, and a
 * line that sums them up. Everything that comes from the program or from names of files is escaped
 * for a terminal.
 */
#ifndef CLI_TEST_TABLE_H
#define CLI_TEST_TABLE_H

#include <stddef.h>

#include "request/test_request.h"
#include "run/test_result.h"

enum { TEST_TABLE_COLUMNS = 6 };

struct test_table {
    size_t widths[TEST_TABLE_COLUMNS];
};

/* The table for these tests. */
void test_table_init(struct test_table *table, const struct test_requests *tests);

/* The line with the names of the columns; owned by the caller, like all that follow. */
char *test_table_heading(const struct test_table *table);

/* The row of a test. */
char *test_table_row(const struct test_table *table, const struct test_result *result);

/* Why the test is not passed, on one line; "" if it is. Owned by the caller. */
char *test_table_detail(const struct test_result *result);

/* The table of the groups of tests; "" if there are none. Owned by the caller. */
char *test_table_groups(const struct test_results *results);

/* The summary alone: "18 of 20 passed; score 70 of 100; first failure: sample-3". Owned by the
 * caller. */
char *test_table_summary(const struct test_results *results);

/* What a build that failed has written, line by line, the last with its end. Owned by the caller.
 */
char *test_table_build(const char *output, size_t length);

#endif

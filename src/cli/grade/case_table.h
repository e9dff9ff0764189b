/*
 * The results of tests for a person: a table with a line for each test, printed one by one, and a
 * line that sums them up. Everything that comes from the program or from names of files is escaped
 * for a terminal.
 */
#ifndef CLI_CASE_TABLE_H
#define CLI_CASE_TABLE_H

#include <stddef.h>

#include "request/case_request.h"
#include "run/case_result.h"

enum { TEST_TABLE_COLUMNS = 6 };

struct case_table {
    size_t widths[TEST_TABLE_COLUMNS];
};

/* The table for these tests. */
void case_table_init(struct case_table *table, const struct case_requests *tests);

/* The line with the names of the columns; owned by the caller, like all that follow. */
char *case_table_heading(const struct case_table *table);

/* The row of a test. */
char *case_table_row(const struct case_table *table, const struct case_result *result);

/* Why the test is not passed, on one line; "" if it is. Owned by the caller. */
char *case_table_detail(const struct case_result *result);

/* The table of the groups of tests; "" if there are none. Owned by the caller. */
char *case_table_groups(const struct case_results *results);

/* The summary alone: "18 of 20 passed; score 70 of 100; first failure: sample-3". Owned by the
 * caller. */
char *case_table_summary(const struct case_results *results);

/* What a build that failed has written, line by line, the last with its end. Owned by the caller.
 */
char *case_table_build(const char *output, size_t length);

#endif

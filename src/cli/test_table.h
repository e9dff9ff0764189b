/*
 * The results of tests for a person: a table with a line for each test, and a line that sums them
 * up. Everything that comes from the program or from names of files is escaped for a terminal.
 */
#ifndef CLI_TEST_TABLE_H
#define CLI_TEST_TABLE_H

#include <stddef.h>

#include "run/test_result.h"

/* The table and, as its last line, the summary; owned by the caller. */
char *test_table_text(const struct test_results *results);

/* Why the test is not passed, on one line; "" if it is. Owned by the caller. */
char *test_table_detail(const struct test_result *result);

/* The summary alone: "18 of 20 passed; first failure: sample-3". Owned by the caller. */
char *test_table_summary(const struct test_results *results);

/* What a build that failed has written, line by line, the last with its end. Owned by the caller.
 */
char *test_table_build(const char *output, size_t length);

#endif

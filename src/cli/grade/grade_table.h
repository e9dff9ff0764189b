/*
 * The results of several solutions, each run with the same tests, for a person: a table with a row
 * for each, printed one by one, and a line that sums them up. Everything that comes from a program
 * or from names of files is escaped for a terminal.
 */
#ifndef CLI_GRADE_TABLE_H
#define CLI_GRADE_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "base/strvec.h"
#include "request/case_request.h"
#include "run/result.h"

/* What the result of a solution says about it. */
enum grade {
    GRADE_NONE,   /* nothing: it could not be sent, or the engine failed */
    GRADE_PASSED, /* all tests */
    GRADE_FAILED  /* it was not built, or a test is not passed */
};

enum grade grade_of(const struct result *result);

enum { GRADE_TABLE_COLUMNS = 8 };

struct grade_table {
    size_t widths[GRADE_TABLE_COLUMNS];
    size_t columns;
    size_t tests;    /* of each solution */
    bool has_scores; /* there is a column with them */
};

/* The table for solutions in these files. */
void grade_table_init(struct grade_table *table, const struct strvec *files,
                      const struct case_requests *tests);

/* The line with the names of the columns; owned by the caller, like all that follow. */
char *grade_table_heading(const struct grade_table *table);

/* The row of a solution. */
char *grade_table_row(const struct grade_table *table, const char *file,
                      const struct result *result);

/* What went wrong, on one line; "" if nothing did. Owned by the caller, like the next one. */
char *grade_table_detail(const struct result *result);

/* Why the build failed, on one line: an error that the compiler names. */
char *grade_table_build_detail(const struct result *result);

/* What the engine had to do with the results. */
struct grade_engine {
    size_t failed;  /* solutions that have no result since it failed */
    size_t retries; /* how often one was run again */
};

/* "42 of 50 solutions passed all tests; 3 not graded, 2 of them since the engine failed" */
char *grade_table_summary(size_t passed, size_t failed, size_t total,
                          const struct grade_engine *engine);

/* Ends the line of a summary whose last number are those without a result. */
void grade_table_end_summary(struct strbuf *line, const struct grade_engine *engine);

#endif

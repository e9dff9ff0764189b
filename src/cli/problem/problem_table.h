/*
 * The submissions of a problem package for a person: a row for each, with the verdict that is
 * expected and the one that was found, and a line that sums them up. Everything that comes from
 * programs or from names of files is escaped for a terminal.
 */
#ifndef CLI_PROBLEM_TABLE_H
#define CLI_PROBLEM_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/grade/grade_table.h"
#include "cli/problem/submission_result.h"
#include "run/result.h"

enum { PROBLEM_TABLE_COLUMNS = 7 };

struct problem_table {
    size_t widths[PROBLEM_TABLE_COLUMNS];
    size_t columns;
    bool has_scores;
};

/* The table for these submissions. */
void problem_table_init(struct problem_table *table, const struct submissions *submissions,
                        bool has_scores);

/* The line with the names of the columns; owned by the caller, like all that follow. */
char *problem_table_heading(const struct problem_table *table);

/* The row of a submission. */
char *problem_table_row(const struct problem_table *table, const struct submission *submission,
                        const struct result *result);

/*
 * "12 of 13 submissions as expected; 1 not tested", from the number of each outcome, and of all
 * submissions: those that have no outcome were "interrupted, 1 not tested".
 */
char *problem_table_summary(const size_t counts[SUBMISSION_OUTCOMES], size_t total,
                            bool interrupted, const struct grade_engine *engine);

#endif

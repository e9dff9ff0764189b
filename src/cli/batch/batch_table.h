/*
 * The results of a batch for a person: a table with a line for each, printed one by one. Everything
 * that comes from the input or from a program is escaped for a terminal.
 */
#ifndef CLI_BATCH_TABLE_H
#define CLI_BATCH_TABLE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "run/result.h"

enum { BATCH_TABLE_COLUMNS = 5 };

struct batch_table {
    bool begun;                         /* there is a row */
    size_t widths[BATCH_TABLE_COLUMNS]; /* that of the ids grows with the longest so far */
};

void batch_table_init(struct batch_table *table);

/*
 * The row of a result, after the line with the names of the columns if it is the first; owned by
 * the caller. A request without an id (NULL) is named by the number of its line. The row ends in
 * the last line of the program's output; or in what is wrong, with the last line of its standard
 * error or what the compiler says; or in the summary of its tests.
 */
char *batch_table_row(struct batch_table *table, const json_t *id, long long line,
                      const struct result *result);

/* The same for a request that was started as a job with this id. */
char *batch_table_job_row(struct batch_table *table, const json_t *id, long long line,
                          const char *job);

#endif

/*
 * A table for people: a heading and rows. Each column is as wide as its widest cell, and no line
 * ends in blanks. The caller escapes the cells for the terminal.
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stddef.h>

#include "base/strbuf.h"
#include "base/strvec.h"

/* Adds the cells row by row to a text. A character of UTF-8 counts as one column. */
void table_add(struct strbuf *text, const struct strvec *cells, size_t columns);

/* Prints the same on stdout. */
void table_print(const struct strvec *cells, size_t columns);

/*
 * For a table whose rows are printed before all of them are known: adds one row with columns of
 * these widths. A wider cell moves the rest of its row.
 */
void table_add_row(struct strbuf *text, char *const *cells, const size_t *widths, size_t columns);

/* The width of a cell. */
size_t table_width(const char *cell);

/*
 * The last line of a text that is not blank, escaped; "" if there is none. What a program says last
 * is why it failed, such as the exception of Python or the panic of Go. Owned by the caller.
 */
char *table_last_line(const struct strbuf *text, size_t max_length);

/* Cells with a figure, of 9 columns unless it is huge; "-" if it is negative. Owned by the caller.
 */
char *table_milliseconds(long long milliseconds);
char *table_megabytes(long long bytes);

/*
 * A score and the most that it can be, "35 of 70": "-" for NAN, and without what is not finite.
 * Owned by the caller.
 */
char *table_score(double score, double max_score);

#endif

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

#endif

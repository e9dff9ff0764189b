/*
 * A table for people: a headline and rows, each column as wide as its widest cell, with no space at the end of a
 * line. What stands in a cell has been made safe for a terminal by whoever put it there.
 */
#ifndef CLI_TABLE_H
#define CLI_TABLE_H

#include <stddef.h>

#include "base/strvec.h"

/* Prints the cells, row by row, on stdout. */
void table_print(const struct strvec *cells, size_t columns);

#endif

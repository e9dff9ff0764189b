/*
 * How the output of a test is compared with what is expected: the modes and their names, for
 * requests. run/comparison.h compares.
 */
#ifndef REQUEST_COMPARE_MODE_H
#define REQUEST_COMPARE_MODE_H

#include "base/error.h"

/* White space is a space, \t, \n, \r, \v or \f. */
enum comparison_mode {
    COMPARE_TRIM,   /* white space at the end of lines, and empty lines at the end, are ignored */
    COMPARE_EXACT,  /* byte by byte */
    COMPARE_TOKENS, /* the same words, with any white space between them */
    COMPARE_FLOAT,  /* like tokens; numbers may differ by a tolerance */
};

/* For messages and for --help. */
#define COMPARISON_MODE_NAMES "trim, exact, tokens or float"

/* How much numbers may differ with COMPARE_FLOAT: absolute, or relative to the expected number. */
#define COMPARISON_TOLERANCE_DEFAULT 1e-6

/* Reads the name of a mode, like "trim". ERROR_USAGE without a change of *mode if there is none of
 * that name. */
int comparison_mode_parse(const char *name, enum comparison_mode *mode, struct error *error);

/* The name of a mode. */
const char *comparison_mode_name(enum comparison_mode mode);

#endif

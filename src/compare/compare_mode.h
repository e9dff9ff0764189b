/*
 * How the output of a test is compared with what is expected: modes, their names, and what can be
 * set about them, for requests. compare/comparison.h compares.
 */
#ifndef COMPARE_COMPARE_MODE_H
#define COMPARE_COMPARE_MODE_H

#include <stdbool.h>

#include "base/error.h"

/* White space is a space, \t, \n, \r, \v or \f. */
enum comparison_mode {
    COMPARE_TRIM,   /* white space at the end of lines, and empty lines at the end, are ignored */
    COMPARE_EXACT,  /* byte by byte */
    COMPARE_TOKENS, /* the same words, with any white space between them */
    COMPARE_FLOAT,  /* like tokens; numbers may differ by a tolerance */
    COMPARE_LINES,  /* white space around lines is ignored; numbers may be written differently */
};

/* For messages and for --help. */
#define COMPARISON_MODE_NAMES "trim, exact, tokens, float or lines"

/* How much numbers may differ with COMPARE_FLOAT: absolute, or relative to the expected number. */
#define COMPARISON_TOLERANCE_DEFAULT 1e-6

struct comparison_rule {
    enum comparison_mode mode;
    bool ignore_case; /* of the letters A to Z */
    bool exact_space; /* for COMPARE_TOKENS and COMPARE_FLOAT: white space must be the same, too */
    /* For COMPARE_FLOAT, 0 or more; -1: it was not given. Numbers are equal by either of them. */
    double tolerance; /* both of the following */
    double absolute, relative;
};

#define COMPARISON_RULE_INIT                                                                       \
    {                                                                                              \
        .mode = COMPARE_TRIM, .tolerance = -1, .absolute = -1, .relative = -1                      \
    }

/* What a caller calls the members of a rule, for messages. */
struct comparison_names {
    const char *mode, *exact_space, *tolerance, *absolute, *relative;
};

/*
 * Completes a rule of which all that was given is set: of what was not, `absolute` and `relative`
 * become 0, or the default if none is given. ERROR_USAGE if a member needs another mode, or
 * excludes another one.
 */
int comparison_rule_complete(struct comparison_rule *rule, const struct comparison_names *names,
                             struct error *error);

/* Reads the name of a mode, like "trim". ERROR_USAGE without a change of *mode if there is none of
 * that name. */
int comparison_mode_parse(const char *name, enum comparison_mode *mode, struct error *error);

/* The name of a mode. */
const char *comparison_mode_name(enum comparison_mode mode);

#endif

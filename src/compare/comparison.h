/*
 * Compares the output of a program with what is expected, while it arrives. The output may have any
 * length, come in pieces of any size and contain any bytes, NUL among them: it is never kept, and
 * what is needed of it has a constant size. After the first difference only the rest of that line
 * is looked at, for messages.
 *
 * White space is a space, \t, \n, \r, \v or \f. The modes (compare/compare_mode.h):
 *
 * - trim: white space at the end of a line is ignored, and so are empty lines at the end. So "a",
 *   "a\n" and "a \r\n\n" are equal. White space at the start of a line counts.
 * - exact: all bytes count.
 * - tokens: the sequences of other bytes than white space are compared, whatever stands between.
 * - float: like tokens; in addition two tokens that are numbers (base/decimal.h) are equal if they
 *   differ by at most the absolute tolerance, or by at most the relative one times the expected
 *   number. If both are 0, they must be the same number, of any size. "inf", "infinity" and "nan",
 *   with a sign or without, are equal to the same text in any case only. A number longer than
 *   DECIMAL_MAX bytes is compared as text.
 * - lines: as LiveCodeBench compares. White space around the text and around each line is ignored.
 *   Two lines are equal if their texts are, or if both have the same decimal numbers, which may be
 *   written differently.
 */
#ifndef COMPARE_COMPARISON_H
#define COMPARE_COMPARISON_H

#include <stdbool.h>
#include <stddef.h>

#include "base/decimal.h"
#include "compare/compare_mode.h"
#include "compare/difference_excerpt.h"

enum comparison_state {
    COMPARISON_EQUAL,   /* no difference so far */
    COMPARISON_DIFFERS, /* at `line` */
    COMPARISON_SHORT,   /* the output ended, and more was expected after `line`; 0: it was empty */
    COMPARISON_CUT,     /* no difference up to `line`, and the rest of the output is not there */
};

struct comparison {
    struct comparison_rule rule;
    const char *expected; /* borrowed */
    size_t length;        /* of `expected` */
    size_t at;            /* in `expected`; everything before it is equal */
    enum comparison_state state;
    /* The line of the output, from 1: of the bytes that come next; of the first difference. */
    unsigned long long line;
    /* For trim: white space that may be followed by text. Lines are line feeds, blanks the rest. */
    size_t expected_lines, expected_blanks, expected_text; /* the last: offset in `expected` */
    unsigned long long lines, blanks; /* in the output; blanks are those after the last line feed */
    bool blanks_equal;
    unsigned long long
        lines_on;    /* the difference is so many lines after that of expected[at - 1] */
    bool line_ended; /* the line of the output that differs has ended before the other */
    /* For tokens, float and lines: the token of the output that is being read. */
    bool in_token;
    unsigned long long token_line; /* of the last token, or line with text; 0: there was none */
    size_t token_end;              /* of the expected token, in `expected` */
    size_t token_length;
    bool token_equal; /* so far, as text */
    char token[DECIMAL_MAX];
    /* For lines: the expected line with text, and how the output's line compares with it so far. */
    bool in_line, text_equal, numbers_equal;
    bool line_is_empty; /* the line that differs should be empty */
    size_t line_end, token_at;
    struct difference_excerpt found;
};

/*
 * Borrows the expected output until the end; NULL only if it has no bytes. The rule is complete.
 */
void comparison_init(struct comparison *comparison, const struct comparison_rule *rule,
                     const char *expected, size_t length);

/* Takes the next bytes of the output. False if it differs, whatever may follow. */
bool comparison_add(struct comparison *comparison, const char *data, size_t length);

/* The rest of the output is not there, so it counts as different. */
void comparison_skip(struct comparison *comparison);

/* Ends the output. True if it is equal to what is expected. */
bool comparison_finish(struct comparison *comparison);

/*
 * Where the first difference is, for a person: "line 3 differs" (of the output). Owned by the
 * caller; NULL if there is none.
 */
char *comparison_locate(const struct comparison *comparison);

/*
 * The same with what differs: "line 3 differs: expected 'abc', found 'abd'". Texts are those of the
 * line, or with tokens and float of the word, and at most DIFFERENCE_EXCERPT_MAX bytes before they
 * are escaped for a terminal.
 */
char *comparison_explain(const struct comparison *comparison);

#endif

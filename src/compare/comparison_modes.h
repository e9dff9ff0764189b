/*
 * The modes of a comparison (compare/comparison.h), for comparison.c alone: exact and trim in
 * comparison_text.c, tokens and float in comparison_tokens.c, lines in comparison_lines.c.
 */
#ifndef COMPARE_COMPARISON_MODES_H
#define COMPARE_COMPARISON_MODES_H

#include "compare/comparison.h"

/* What messages show: a part of `expected` from `start` on. It has no more if `is_end` is set. */
struct expected_part {
    size_t start, length;
    bool is_end;
};

struct comparison_kind {
    /* Returns how many bytes come before the one that made the difference; all: there is none. */
    size_t (*add)(struct comparison *comparison, const char *data, size_t length);
    void (*finish)(struct comparison *comparison);
    struct expected_part (*part)(const struct comparison *comparison);
    int unit; /* of struct difference_excerpt */
};

extern const struct comparison_kind comparison_exact, comparison_trim, comparison_tokens,
    comparison_spaced_tokens, comparison_lines;

/* Sets the state. */
void comparison_differs(struct comparison *comparison, unsigned long long line);
void comparison_is_short(struct comparison *comparison, unsigned long long last_line);

/* Finds the next text in `expected`, and the line feeds and blanks before it. */
void comparison_find_text(struct comparison *comparison);

/* The expected line with the difference, with its line feed. */
struct expected_part comparison_part_of_line(const struct comparison *comparison);

unsigned long long comparison_count_lines(const char *text, size_t length);

/* Letters of other languages count as they are. */
static inline int comparison_lower(char byte)
{
    return byte >= 'A' && byte <= 'Z' ? byte - 'A' + 'a' : byte;
}

static inline bool comparison_same(const struct comparison *comparison, char one, char other)
{
    return one == other ||
           (comparison->rule.ignore_case && comparison_lower(one) == comparison_lower(other));
}

#endif

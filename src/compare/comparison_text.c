#include "compare/comparison_modes.h"

#include <string.h>

void comparison_differs(struct comparison *comparison, unsigned long long line)
{
    comparison->state = COMPARISON_DIFFERS;
    comparison->line = line;
}

void comparison_is_short(struct comparison *comparison, unsigned long long last_line)
{
    comparison->state = COMPARISON_SHORT;
    comparison->line = last_line;
}

/* exact: the output so far is a part of `expected`, so its lines are counted at the end. */

unsigned long long comparison_count_lines(const char *text, size_t length)
{
    unsigned long long lines = 0;

    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    return lines;
}

static size_t add_exact(struct comparison *comparison, const char *data, size_t length)
{
    const char *expected = comparison->expected + comparison->at;
    const size_t left = comparison->length - comparison->at;
    const size_t common = length < left ? length : left;
    size_t equal = common;

    if (memcmp(expected, data, common) != 0)
        for (equal = 0;
             equal < common && comparison_same(comparison, expected[equal], data[equal]);)
            equal++;
    comparison->at += equal;
    if (equal < length)
        comparison_differs(comparison,
                           1 + comparison_count_lines(comparison->expected, comparison->at));
    return equal;
}

static void finish_exact(struct comparison *comparison)
{
    const size_t at = comparison->at;
    const unsigned long long lines = comparison_count_lines(comparison->expected, at);

    if (at == comparison->length)
        return;
    if (at > 0 && comparison->expected[at - 1] != '\n')
        comparison_differs(comparison, 1 + lines);
    else
        comparison_is_short(comparison, lines);
}

/*
 * trim: white space is held back, as counts, until text follows it. In `expected` it is before
 * the next text. It is the same if the line feeds are as many and the blanks after the last one,
 * which begin the line of the text, are the same: all others end a line.
 */

void comparison_find_text(struct comparison *comparison)
{
    const char *expected = comparison->expected;
    size_t at = comparison->at;

    comparison->expected_lines = 0;
    comparison->expected_blanks = at;
    for (; at < comparison->length && difference_excerpt_is_space(expected[at]); at++)
        if (expected[at] == '\n') {
            comparison->expected_lines++;
            comparison->expected_blanks = at + 1;
        }
    comparison->expected_text = at;
    comparison->lines = 0;
    comparison->blanks = 0;
    comparison->blanks_equal = true;
}

static void trim_blank(struct comparison *comparison, char byte)
{
    if (byte == '\n') {
        comparison->lines++;
        comparison->blanks = 0;
        comparison->blanks_equal = true;
        return;
    }
    if (comparison->blanks >= comparison->expected_text - comparison->expected_blanks ||
        comparison->expected[comparison->expected_blanks + comparison->blanks] != byte)
        comparison->blanks_equal = false;
    comparison->blanks++;
}

static void trim_text(struct comparison *comparison, char byte)
{
    const size_t text = comparison->expected_text;
    const bool more = text < comparison->length;
    unsigned long long lines = comparison->lines;

    if (more && lines == comparison->expected_lines && comparison->blanks_equal &&
        comparison->blanks == text - comparison->expected_blanks &&
        comparison_same(comparison, comparison->expected[text], byte)) {
        comparison->line += lines;
        comparison->at = text + 1;
        comparison_find_text(comparison);
        return;
    }
    if (more && lines > comparison->expected_lines) {
        lines = comparison->expected_lines;
        comparison->line_ended = true;
    }
    comparison->lines_on = lines;
    comparison_differs(comparison, comparison->line + lines);
}

static size_t add_trim(struct comparison *comparison, const char *data, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (difference_excerpt_is_space(data[i]))
            trim_blank(comparison, data[i]);
        else
            trim_text(comparison, data[i]);
        if (comparison->state != COMPARISON_EQUAL)
            return i;
    }
    return length;
}

static void finish_trim(struct comparison *comparison)
{
    if (comparison->expected_text == comparison->length)
        return;
    if (comparison->at == 0)
        comparison_is_short(comparison, 0);
    else if (comparison->expected_lines == 0) {
        comparison->line_ended = true;
        comparison_differs(comparison, comparison->line);
    } else
        comparison_is_short(comparison, comparison->line);
}

static size_t find_line_feed(const struct comparison *comparison, size_t at)
{
    while (at < comparison->length && comparison->expected[at] != '\n')
        at++;
    return at;
}

/* The start of the line at this place. */
static size_t find_line(const struct comparison *comparison, size_t at)
{
    while (at > 0 && comparison->expected[at - 1] != '\n')
        at--;
    return at;
}

struct expected_part comparison_part_of_line(const struct comparison *comparison)
{
    const size_t start = find_line(comparison, comparison->at);
    size_t end = find_line_feed(comparison, start);

    end += end < comparison->length;
    return (struct expected_part){start, end - start, start == comparison->length};
}

static struct expected_part part_trim(const struct comparison *comparison)
{
    size_t start = find_line(comparison, comparison->at), end;

    if (comparison->state == COMPARISON_SHORT)
        start = comparison->expected_blanks;
    for (unsigned long long i = 0; i < comparison->lines_on && start < comparison->length; i++) {
        start = find_line_feed(comparison, start);
        start += start < comparison->length;
    }
    end = find_line_feed(comparison, start);
    while (end > start && difference_excerpt_is_space(comparison->expected[end - 1]))
        end--;
    return (struct expected_part){start, end - start,
                                  start >= comparison->at &&
                                      comparison->expected_text == comparison->length};
}

const struct comparison_kind comparison_exact = {add_exact, finish_exact, comparison_part_of_line,
                                                 EXCERPT_WHOLE_LINE};
const struct comparison_kind comparison_trim = {add_trim, finish_trim, part_trim, EXCERPT_LINE};

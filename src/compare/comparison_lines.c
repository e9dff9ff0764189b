#include "compare/comparison_modes.h"

#include <string.h>

/*
 * lines: what LiveCodeBench does. White space at the start and the end of the text and of each line
 * is ignored. Two lines are equal if they are the same text, or if both are decimal numbers that
 * are equal one by one. Both are followed while a line arrives: `at` is how far the text is equal,
 * and `token_at` is before the next number of the expected line.
 */

/* The end of the expected line with the text at this place, without white space. */
static size_t find_line_end(const struct comparison *comparison, size_t text)
{
    size_t end = text;

    for (size_t at = text; at < comparison->length && comparison->expected[at] != '\n'; at++)
        if (!difference_excerpt_is_space(comparison->expected[at]))
            end = at + 1;
    return end;
}

/*
 * A line with text begins. False if the expected line is another one: the numbers of empty lines
 * before it differ, or there is none. Empty lines at the start of the output are ignored.
 */
static bool begin_line(struct comparison *comparison)
{
    const unsigned long long expected = comparison->expected_lines, lines = comparison->lines;
    const bool is_first = comparison->token_line == 0;

    if (comparison->expected_text == comparison->length || (!is_first && lines != expected)) {
        comparison->line_ended = comparison->expected_text < comparison->length && lines > expected;
        comparison->line_is_empty = lines < expected;
        comparison_differs(comparison,
                           comparison->line + (comparison->line_ended ? expected : lines));
        return false;
    }
    comparison->line += lines;
    comparison->lines = 0;
    comparison->blanks = 0;
    comparison->blanks_equal = true;
    comparison->token_line = comparison->line;
    comparison->at = comparison->token_at = comparison->expected_text;
    comparison->line_end = find_line_end(comparison, comparison->expected_text);
    comparison->in_line = true;
    comparison->text_equal = comparison->numbers_equal = true;
    return true;
}

/* Compares the number that was read last. */
static void end_number(struct comparison *comparison)
{
    const char *expected = comparison->expected;
    size_t end;

    comparison->in_token = false;
    if (!comparison->numbers_equal)
        return;
    while (comparison->token_at < comparison->line_end &&
           difference_excerpt_is_space(expected[comparison->token_at]))
        comparison->token_at++;
    end = comparison->token_at;
    while (end < comparison->line_end && !difference_excerpt_is_space(expected[end]))
        end++;
    comparison->numbers_equal =
        comparison->token_length <= DECIMAL_MAX && end - comparison->token_at <= DECIMAL_MAX &&
        decimal_equal(comparison->token, comparison->token_length, expected + comparison->token_at,
                      end - comparison->token_at);
    comparison->token_at = end;
}

static void check_line(struct comparison *comparison)
{
    if (!comparison->text_equal && !comparison->numbers_equal)
        comparison_differs(comparison, comparison->line);
}

static void end_line(struct comparison *comparison)
{
    if (comparison->in_token)
        end_number(comparison);
    comparison->text_equal = comparison->text_equal && comparison->at == comparison->line_end;
    comparison->numbers_equal =
        comparison->numbers_equal && comparison->token_at == comparison->line_end;
    check_line(comparison);
    if (comparison->state != COMPARISON_EQUAL)
        return;
    comparison->in_line = false;
    comparison->at = comparison->line_end;
    comparison_find_text(comparison);
}

static void add_space(struct comparison *comparison, char byte)
{
    const size_t at = comparison->at + comparison->blanks;

    if (byte == '\n') {
        if (comparison->in_line)
            end_line(comparison);
        comparison->lines++;
        return;
    }
    if (!comparison->in_line)
        return;
    if (comparison->in_token)
        end_number(comparison);
    if (at >= comparison->line_end || comparison->expected[at] != byte)
        comparison->blanks_equal = false;
    comparison->blanks++;
}

static void add_text(struct comparison *comparison, char byte)
{
    if (!comparison->in_line && !begin_line(comparison))
        return;
    comparison->text_equal = comparison->text_equal && comparison->blanks_equal;
    comparison->at += comparison->blanks;
    comparison->blanks = 0;
    comparison->blanks_equal = true;
    if (!comparison->in_token) {
        comparison->in_token = true;
        comparison->token_length = 0;
    }
    if (comparison->token_length < sizeof comparison->token)
        comparison->token[comparison->token_length] = byte;
    comparison->token_length++;
    if (!strchr("0123456789+-.eE", byte) || byte == '\0')
        comparison->numbers_equal = false;
    if (comparison->text_equal && comparison->at < comparison->line_end &&
        comparison_same(comparison, comparison->expected[comparison->at], byte))
        comparison->at++;
    else
        comparison->text_equal = false;
}

static size_t add_lines(struct comparison *comparison, const char *data, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (difference_excerpt_is_space(data[i]))
            add_space(comparison, data[i]);
        else
            add_text(comparison, data[i]);
        if (comparison->state == COMPARISON_EQUAL && comparison->in_line)
            check_line(comparison);
        if (comparison->state != COMPARISON_EQUAL)
            return i;
    }
    return length;
}

static void finish_lines(struct comparison *comparison)
{
    if (comparison->in_line)
        end_line(comparison);
    if (comparison->state == COMPARISON_EQUAL && comparison->expected_text < comparison->length)
        comparison_is_short(comparison, comparison->token_line);
}

/* The expected line, or an empty one before it. */
static struct expected_part part_lines(const struct comparison *comparison)
{
    const size_t start = comparison->expected_text;

    if (comparison->line_is_empty)
        return (struct expected_part){start, 0, start == comparison->length};
    return (struct expected_part){start, find_line_end(comparison, start) - start,
                                  start == comparison->length};
}

const struct comparison_kind comparison_lines = {add_lines, finish_lines, part_lines, EXCERPT_LINE};

#include "compare/comparison_modes.h"

#include <math.h>
#include <string.h>
#include <strings.h>

/* tokens and float: `at` is before the next expected token, or at the start of the current one. */

static bool is_not_finite(const char *text, size_t length)
{
    static const char *const names[] = {"inf", "infinity", "nan"};

    if (length > 0 && (*text == '+' || *text == '-')) {
        text++;
        length--;
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (length == strlen(names[i]) && strncasecmp(text, names[i], length) == 0)
            return true;
    return false;
}

static bool are_equal_numbers(const struct comparison *comparison)
{
    const char *text = comparison->expected + comparison->at;
    const size_t length = comparison->token_end - comparison->at;
    const struct comparison_rule *rule = &comparison->rule;
    double number, expected, difference;

    if (rule->mode != COMPARE_FLOAT || comparison->token_length > DECIMAL_MAX ||
        length > DECIMAL_MAX)
        return false;
    if (rule->absolute == 0 && rule->relative == 0 &&
        decimal_equal(comparison->token, comparison->token_length, text, length))
        return true;
    if (!decimal_read(comparison->token, comparison->token_length, &number) ||
        !decimal_read(text, length, &expected))
        return length == comparison->token_length && is_not_finite(text, length) &&
               strncasecmp(text, comparison->token, length) == 0;
    difference = fabs(number - expected);
    return (rule->absolute > 0 && difference <= rule->absolute) ||
           (rule->relative > 0 && difference <= rule->relative * fabs(expected));
}

static void skip_expected_space(struct comparison *comparison)
{
    while (!comparison->rule.exact_space && comparison->at < comparison->length &&
           difference_excerpt_is_space(comparison->expected[comparison->at]))
        comparison->at++;
}

static void begin_token(struct comparison *comparison)
{
    skip_expected_space(comparison);
    comparison->in_token = true;
    comparison->token_line = comparison->line;
    comparison->token_length = 0;
    comparison->token_equal = true;
    comparison->token_end = comparison->at;
    while (comparison->token_end < comparison->length &&
           !difference_excerpt_is_space(comparison->expected[comparison->token_end]))
        comparison->token_end++;
    if (comparison->token_end == comparison->at)
        comparison_differs(comparison, comparison->line);
}

static void add_to_token(struct comparison *comparison, char byte)
{
    const size_t at = comparison->at + comparison->token_length;

    if (at >= comparison->token_end || !comparison_same(comparison, comparison->expected[at], byte))
        comparison->token_equal = false;
    if (comparison->token_length < sizeof comparison->token)
        comparison->token[comparison->token_length] = byte;
    comparison->token_length++;
    if (!comparison->token_equal && (comparison->rule.mode != COMPARE_FLOAT ||
                                     comparison->token_length > sizeof comparison->token))
        comparison_differs(comparison, comparison->line);
}

static void end_token(struct comparison *comparison)
{
    const bool whole = comparison->token_length == comparison->token_end - comparison->at;

    comparison->in_token = false;
    if ((comparison->token_equal && whole) || are_equal_numbers(comparison))
        comparison->at = comparison->token_end;
    else
        comparison_differs(comparison, comparison->line);
}

/* exact_space: white space is a part of what is expected, too. */
static void take_space(struct comparison *comparison, char byte)
{
    if (comparison->at < comparison->length && comparison->expected[comparison->at] == byte)
        comparison->at++;
    else
        comparison_differs(comparison, comparison->line);
}

static void add_to_tokens(struct comparison *comparison, char byte)
{
    if (!difference_excerpt_is_space(byte)) {
        if (!comparison->in_token)
            begin_token(comparison);
        if (comparison->state == COMPARISON_EQUAL)
            add_to_token(comparison, byte);
        return;
    }
    if (comparison->in_token)
        end_token(comparison);
    if (comparison->rule.exact_space && comparison->state == COMPARISON_EQUAL)
        take_space(comparison, byte);
    if (comparison->state == COMPARISON_EQUAL && byte == '\n')
        comparison->line++;
}

static size_t add_tokens(struct comparison *comparison, const char *data, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        add_to_tokens(comparison, data[i]);
        if (comparison->state != COMPARISON_EQUAL)
            return i;
    }
    return length;
}

static void finish_tokens(struct comparison *comparison)
{
    if (comparison->in_token)
        end_token(comparison);
    skip_expected_space(comparison);
    if (comparison->state == COMPARISON_EQUAL && comparison->at < comparison->length)
        comparison_is_short(comparison, comparison->token_line);
}

static struct expected_part part_token(const struct comparison *comparison)
{
    const size_t start = comparison->at;
    size_t end = start;

    while (end < comparison->length && !difference_excerpt_is_space(comparison->expected[end]))
        end++;
    return (struct expected_part){start, end - start, start == comparison->length};
}

const struct comparison_kind comparison_tokens = {add_tokens, finish_tokens, part_token,
                                                  EXCERPT_WORD};
const struct comparison_kind comparison_spaced_tokens = {
    add_tokens, finish_tokens, comparison_part_of_line, EXCERPT_WHOLE_LINE};

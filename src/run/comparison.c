#include "run/comparison.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/strbuf.h"

static bool is_space(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static void set_difference(struct comparison *comparison, unsigned long long line)
{
    comparison->state = COMPARISON_DIFFERS;
    comparison->line = line;
}

static void set_short(struct comparison *comparison, unsigned long long last_line)
{
    comparison->state = COMPARISON_SHORT;
    comparison->line = last_line;
}

/* exact: the output so far is a part of `expected`, so its lines are counted at the end. */

static unsigned long long count_lines(const char *text, size_t length)
{
    unsigned long long lines = 0;

    for (size_t i = 0; i < length; i++)
        lines += text[i] == '\n';
    return lines;
}

static void add_exact(struct comparison *comparison, const char *data, size_t length)
{
    const char *expected = comparison->expected + comparison->at;
    const size_t left = comparison->length - comparison->at;
    const size_t common = length < left ? length : left;
    size_t equal = common;

    if (memcmp(expected, data, common) != 0)
        for (equal = 0; expected[equal] == data[equal];)
            equal++;
    comparison->at += equal;
    if (equal < length)
        set_difference(comparison, 1 + count_lines(comparison->expected, comparison->at));
}

static void finish_exact(struct comparison *comparison)
{
    const size_t at = comparison->at;
    const unsigned long long lines = count_lines(comparison->expected, at);

    if (at == comparison->length)
        return;
    if (at > 0 && comparison->expected[at - 1] != '\n')
        set_difference(comparison, 1 + lines);
    else
        set_short(comparison, lines);
}

/*
 * trim: white space is held back, as counts, until text follows it. In `expected` it lies before
 * the next text. It is the same if the line feeds are as many and the blanks after the last one,
 * which begin the line of the text, are the same: all others end a line.
 */

static void find_expected_text(struct comparison *comparison)
{
    const char *expected = comparison->expected;
    size_t at = comparison->at;

    comparison->expected_lines = 0;
    comparison->expected_blanks = at;
    for (; at < comparison->length && is_space(expected[at]); at++)
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
        comparison->expected[text] == byte) {
        comparison->line += lines;
        comparison->at = text + 1;
        find_expected_text(comparison);
        return;
    }
    if (more && lines > comparison->expected_lines)
        lines = comparison->expected_lines;
    set_difference(comparison, comparison->line + lines);
}

static void add_trim(struct comparison *comparison, const char *data, size_t length)
{
    for (size_t i = 0; i < length && comparison->state == COMPARISON_EQUAL; i++) {
        if (is_space(data[i]))
            trim_blank(comparison, data[i]);
        else
            trim_text(comparison, data[i]);
    }
}

static void finish_trim(struct comparison *comparison)
{
    if (comparison->expected_text == comparison->length)
        return;
    if (comparison->at == 0)
        set_short(comparison, 0);
    else if (comparison->expected_lines == 0)
        set_difference(comparison, comparison->line);
    else
        set_short(comparison, comparison->line);
}

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
    double number, expected, difference;

    if (comparison->mode != COMPARE_FLOAT)
        return false;
    if (!decimal_read(comparison->token, comparison->token_length, &number) ||
        !decimal_read(text, length, &expected))
        return length == comparison->token_length && is_not_finite(text, length) &&
               strncasecmp(text, comparison->token, length) == 0;
    difference = fabs(number - expected);
    return difference <= comparison->tolerance ||
           difference <= comparison->tolerance * fabs(expected);
}

static void skip_expected_space(struct comparison *comparison)
{
    while (comparison->at < comparison->length && is_space(comparison->expected[comparison->at]))
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
           !is_space(comparison->expected[comparison->token_end]))
        comparison->token_end++;
    if (comparison->at == comparison->length)
        set_difference(comparison, comparison->line);
}

static void add_to_token(struct comparison *comparison, char byte)
{
    const size_t at = comparison->at + comparison->token_length;

    if (at >= comparison->token_end || comparison->expected[at] != byte)
        comparison->token_equal = false;
    if (comparison->token_length < sizeof comparison->token)
        comparison->token[comparison->token_length] = byte;
    comparison->token_length++;
    if (!comparison->token_equal &&
        (comparison->mode != COMPARE_FLOAT || comparison->token_length > sizeof comparison->token))
        set_difference(comparison, comparison->line);
}

static void end_token(struct comparison *comparison)
{
    const bool whole = comparison->token_length == comparison->token_end - comparison->at;

    comparison->in_token = false;
    if ((comparison->token_equal && whole) || are_equal_numbers(comparison))
        comparison->at = comparison->token_end;
    else
        set_difference(comparison, comparison->line);
}

static void add_tokens(struct comparison *comparison, const char *data, size_t length)
{
    for (size_t i = 0; i < length && comparison->state == COMPARISON_EQUAL; i++) {
        if (!is_space(data[i])) {
            if (!comparison->in_token)
                begin_token(comparison);
            if (comparison->state == COMPARISON_EQUAL)
                add_to_token(comparison, data[i]);
            continue;
        }
        if (comparison->in_token)
            end_token(comparison);
        if (comparison->state == COMPARISON_EQUAL && data[i] == '\n')
            comparison->line++;
    }
}

static void finish_tokens(struct comparison *comparison)
{
    if (comparison->in_token)
        end_token(comparison);
    skip_expected_space(comparison);
    if (comparison->state == COMPARISON_EQUAL && comparison->at < comparison->length)
        set_short(comparison, comparison->token_line);
}

static const struct {
    void (*add)(struct comparison *comparison, const char *data, size_t length);
    void (*finish)(struct comparison *comparison);
} modes[] = {
    [COMPARE_TRIM] = {add_trim, finish_trim},
    [COMPARE_EXACT] = {add_exact, finish_exact},
    [COMPARE_TOKENS] = {add_tokens, finish_tokens},
    [COMPARE_FLOAT] = {add_tokens, finish_tokens},
};

void comparison_init(struct comparison *comparison, enum comparison_mode mode, double tolerance,
                     const char *expected, size_t length)
{
    *comparison = (struct comparison){.mode = mode,
                                      .tolerance = tolerance,
                                      .expected = expected ? expected : "",
                                      .length = length,
                                      .line = 1};
    find_expected_text(comparison);
}

bool comparison_add(struct comparison *comparison, const char *data, size_t length)
{
    if (comparison->state == COMPARISON_EQUAL && length > 0)
        modes[comparison->mode].add(comparison, data, length);
    return comparison->state == COMPARISON_EQUAL;
}

bool comparison_finish(struct comparison *comparison)
{
    if (comparison->state == COMPARISON_EQUAL)
        modes[comparison->mode].finish(comparison);
    return comparison->state == COMPARISON_EQUAL;
}

char *comparison_explain(const struct comparison *comparison)
{
    if (comparison->state == COMPARISON_EQUAL)
        return NULL;
    if (comparison->state == COMPARISON_DIFFERS)
        return string_format("line %llu differs", comparison->line);
    if (comparison->line == 0)
        return string_copy("the output is empty");
    return string_format("the output ends too early, after line %llu", comparison->line);
}

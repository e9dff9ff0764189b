#include "run/comparison.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/strbuf.h"

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

static size_t add_exact(struct comparison *comparison, const char *data, size_t length)
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
    return equal;
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
 * trim: white space is held back, as counts, until text follows it. In `expected` it is before
 * the next text. It is the same if the line feeds are as many and the blanks after the last one,
 * which begin the line of the text, are the same: all others end a line.
 */

static void find_expected_text(struct comparison *comparison)
{
    const char *expected = comparison->expected;
    size_t at = comparison->at;

    comparison->expected_lines = 0;
    comparison->expected_blanks = at;
    for (; at < comparison->length && found_text_is_space(expected[at]); at++)
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
    if (more && lines > comparison->expected_lines) {
        lines = comparison->expected_lines;
        comparison->line_ended = true;
    }
    comparison->lines_on = lines;
    set_difference(comparison, comparison->line + lines);
}

static size_t add_trim(struct comparison *comparison, const char *data, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (found_text_is_space(data[i]))
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
        set_short(comparison, 0);
    else if (comparison->expected_lines == 0) {
        comparison->line_ended = true;
        set_difference(comparison, comparison->line);
    } else
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
    while (comparison->at < comparison->length &&
           found_text_is_space(comparison->expected[comparison->at]))
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
           !found_text_is_space(comparison->expected[comparison->token_end]))
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

static void add_to_tokens(struct comparison *comparison, char byte)
{
    if (!found_text_is_space(byte)) {
        if (!comparison->in_token)
            begin_token(comparison);
        if (comparison->state == COMPARISON_EQUAL)
            add_to_token(comparison, byte);
        return;
    }
    if (comparison->in_token)
        end_token(comparison);
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
        set_short(comparison, comparison->token_line);
}

/* What messages show: a part of `expected` from `start` on. It has no more if `is_end` is set. */
struct expected_part {
    size_t start, length;
    bool is_end;
};

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

static struct expected_part part_exact(const struct comparison *comparison)
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
    while (end > start && found_text_is_space(comparison->expected[end - 1]))
        end--;
    return (struct expected_part){start, end - start,
                                  start >= comparison->at &&
                                      comparison->expected_text == comparison->length};
}

static struct expected_part part_token(const struct comparison *comparison)
{
    const size_t start = comparison->at;
    size_t end = start;

    while (end < comparison->length && !found_text_is_space(comparison->expected[end]))
        end++;
    return (struct expected_part){start, end - start, start == comparison->length};
}

static const struct {
    /* Returns how many bytes come before the one that made the difference; all: there is none. */
    size_t (*add)(struct comparison *comparison, const char *data, size_t length);
    void (*finish)(struct comparison *comparison);
    struct expected_part (*part)(const struct comparison *comparison);
    int unit; /* of struct found_text */
} modes[] = {
    [COMPARE_TRIM] = {add_trim, finish_trim, part_trim, FOUND_LINE},
    [COMPARE_EXACT] = {add_exact, finish_exact, part_exact, FOUND_WHOLE_LINE},
    [COMPARE_TOKENS] = {add_tokens, finish_tokens, part_token, FOUND_WORD},
    [COMPARE_FLOAT] = {add_tokens, finish_tokens, part_token, FOUND_WORD},
};

void comparison_init(struct comparison *comparison, enum comparison_mode mode, double tolerance,
                     const char *expected, size_t length)
{
    *comparison = (struct comparison){.mode = mode,
                                      .tolerance = tolerance,
                                      .expected = expected ? expected : "",
                                      .length = length,
                                      .line = 1,
                                      .found = {.unit = modes[mode].unit}};
    find_expected_text(comparison);
}

bool comparison_add(struct comparison *comparison, const char *data, size_t length)
{
    size_t equal = 0;

    if (length == 0)
        return comparison->state == COMPARISON_EQUAL;
    if (comparison->state == COMPARISON_EQUAL) {
        equal = modes[comparison->mode].add(comparison, data, length);
        found_text_add_equal(&comparison->found, data, equal);
    }
    found_text_add_rest(&comparison->found, data + equal, length - equal);
    return comparison->state == COMPARISON_EQUAL;
}

void comparison_skip(struct comparison *comparison)
{
    if (comparison->state != COMPARISON_EQUAL)
        return;
    comparison->state = COMPARISON_CUT;
    if (comparison->mode == COMPARE_EXACT) /* it counts no lines before the end */
        comparison->line = 1 + count_lines(comparison->expected, comparison->at);
    else
        comparison->line += comparison->lines;
}

bool comparison_finish(struct comparison *comparison)
{
    if (comparison->state == COMPARISON_EQUAL)
        modes[comparison->mode].finish(comparison);
    return comparison->state == COMPARISON_EQUAL;
}

char *comparison_locate(const struct comparison *comparison)
{
    if (comparison->state == COMPARISON_EQUAL)
        return NULL;
    if (comparison->state == COMPARISON_DIFFERS)
        return string_format("line %llu differs", comparison->line);
    if (comparison->state == COMPARISON_CUT)
        return string_format("the output is too long to be compared after line %llu",
                             comparison->line);
    if (comparison->line == 0)
        return string_copy("the output is empty");
    return string_format("the output ends too early, after line %llu", comparison->line);
}

/*
 * float: whether a word is equal is known at its end, so the difference may be before what was kept
 * of it last.
 */
static void show_number(struct strbuf *message, const struct comparison *comparison,
                        const struct expected_part *part)
{
    const size_t length = comparison->token_length < sizeof comparison->token
                              ? comparison->token_length
                              : sizeof comparison->token;
    const char *text = comparison->expected + part->start;
    size_t common = 0, skip;

    while (common < length && common < part->length && text[common] == comparison->token[common])
        common++;
    skip = common > FOUND_TEXT_BEFORE ? common - FOUND_TEXT_BEFORE : 0;
    found_text_show(message, text, part->length, skip);
    strbuf_addstr(message, ", found ");
    found_text_show(message, comparison->token, length, skip);
}

/* What was found of a line whose end made the difference: it is equal up to there. */
static void show_ended_line(struct strbuf *message, const struct comparison *comparison,
                            const struct expected_part *part)
{
    const size_t length = comparison->at > part->start ? comparison->at - part->start : 0;
    const size_t skip = length > FOUND_TEXT_BEFORE ? length - FOUND_TEXT_BEFORE : 0;
    const char *text = comparison->expected + part->start;

    found_text_show(message, text, part->length, skip);
    strbuf_addstr(message, ", found ");
    found_text_show(message, text, length, skip);
}

char *comparison_explain(const struct comparison *comparison)
{
    const struct found_text *found = &comparison->found;
    CLEANUP_FREE char *place = comparison_locate(comparison);
    struct strbuf message = STRBUF_INIT;
    struct expected_part part;

    if (!place || comparison->state == COMPARISON_CUT)
        return steal_pointer(&place);
    part = modes[comparison->mode].part(comparison);
    strbuf_addf(&message, "%s: expected ", place);
    if (comparison->state == COMPARISON_SHORT) {
        found_text_show(&message, comparison->expected + part.start, part.length, 0);
    } else if (comparison->line_ended) {
        show_ended_line(&message, comparison, &part);
    } else if (comparison->mode == COMPARE_FLOAT && !part.is_end) {
        show_number(&message, comparison, &part);
    } else {
        if (part.is_end)
            strbuf_addstr(&message, "no more output");
        else
            found_text_show(&message, comparison->expected + part.start, part.length,
                            found->skipped);
        strbuf_addstr(&message, ", found ");
        found_text_show_found(&message, found, comparison->mode == COMPARE_TRIM);
    }
    return strbuf_steal(&message);
}

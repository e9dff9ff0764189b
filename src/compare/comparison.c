#include "compare/comparison.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "compare/comparison_modes.h"

static const struct comparison_kind *const kinds[] = {
    [COMPARE_TRIM] = &comparison_trim,     [COMPARE_EXACT] = &comparison_exact,
    [COMPARE_TOKENS] = &comparison_tokens, [COMPARE_FLOAT] = &comparison_tokens,
    [COMPARE_LINES] = &comparison_lines,
};

static const struct comparison_kind *kind_of(const struct comparison *comparison)
{
    return comparison->rule.exact_space ? &comparison_spaced_tokens : kinds[comparison->rule.mode];
}

void comparison_init(struct comparison *comparison, const struct comparison_rule *rule,
                     const char *expected, size_t length)
{
    *comparison = (struct comparison){
        .rule = *rule, .expected = expected ? expected : "", .length = length, .line = 1};
    comparison->found.unit = kind_of(comparison)->unit;
    comparison_find_text(comparison);
}

bool comparison_add(struct comparison *comparison, const char *data, size_t length)
{
    size_t equal = 0;

    if (length == 0)
        return comparison->state == COMPARISON_EQUAL;
    if (comparison->state == COMPARISON_EQUAL) {
        equal = kind_of(comparison)->add(comparison, data, length);
        difference_excerpt_add_equal(&comparison->found, data, equal);
    }
    difference_excerpt_add_rest(&comparison->found, data + equal, length - equal);
    return comparison->state == COMPARISON_EQUAL;
}

void comparison_skip(struct comparison *comparison)
{
    if (comparison->state != COMPARISON_EQUAL)
        return;
    comparison->state = COMPARISON_CUT;
    if (comparison->rule.mode == COMPARE_EXACT) /* it counts no lines before the end */
        comparison->line = 1 + comparison_count_lines(comparison->expected, comparison->at);
    else
        comparison->line += comparison->lines;
}

bool comparison_finish(struct comparison *comparison)
{
    if (comparison->state == COMPARISON_EQUAL)
        kind_of(comparison)->finish(comparison);
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
    skip = common > DIFFERENCE_EXCERPT_BEFORE ? common - DIFFERENCE_EXCERPT_BEFORE : 0;
    difference_excerpt_show(message, text, part->length, skip);
    strbuf_addstr(message, ", found ");
    difference_excerpt_show(message, comparison->token, length, skip);
}

/* What was found of a line whose end made the difference: it is equal up to there. */
static void show_ended_line(struct strbuf *message, const struct comparison *comparison,
                            const struct expected_part *part)
{
    const size_t length = comparison->at > part->start ? comparison->at - part->start : 0;
    const size_t skip = length > DIFFERENCE_EXCERPT_BEFORE ? length - DIFFERENCE_EXCERPT_BEFORE : 0;
    const char *text = comparison->expected + part->start;

    difference_excerpt_show(message, text, part->length, skip);
    strbuf_addstr(message, ", found ");
    difference_excerpt_show(message, text, length, skip);
}

char *comparison_explain(const struct comparison *comparison)
{
    const struct difference_excerpt *found = &comparison->found;
    CLEANUP_FREE char *place = comparison_locate(comparison);
    struct strbuf message = STRBUF_INIT;
    struct expected_part part;

    if (!place || comparison->state == COMPARISON_CUT)
        return steal_pointer(&place);
    part = kind_of(comparison)->part(comparison);
    strbuf_addf(&message, "%s: expected ", place);
    if (comparison->state == COMPARISON_SHORT) {
        difference_excerpt_show(&message, comparison->expected + part.start, part.length, 0);
    } else if (comparison->line_ended) {
        show_ended_line(&message, comparison, &part);
    } else if (kind_of(comparison)->unit == EXCERPT_WORD &&
               comparison->rule.mode == COMPARE_FLOAT && !part.is_end) {
        show_number(&message, comparison, &part);
    } else {
        if (part.is_end)
            strbuf_addstr(&message, "no more output");
        else
            difference_excerpt_show(&message, comparison->expected + part.start, part.length,
                                    found->skipped);
        strbuf_addstr(&message, ", found ");
        difference_excerpt_show_found(&message, found, kind_of(comparison)->unit == EXCERPT_LINE);
    }
    return strbuf_steal(&message);
}

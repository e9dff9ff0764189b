/*
 * Fuzz target: the comparison of output with what is expected. The first byte of the input chooses
 * the mode, the tolerance, and whether case and white space count, the second one how the output is
 * split; the rest is the expected output up to the first byte 0xff, and then the output. These
 * properties are checked:
 *
 * - The result and the first difference are those of a simple comparison, which has both texts in
 *   memory and compares lines or tokens.
 * - They do not depend on how the output is split, and neither does the message.
 * - Once the output differs, more output changes nothing.
 */
#include "fuzz.h"

#include <math.h>
#include <regex.h>
#include <strings.h>

#include "compare/comparison.h"

static const double tolerances[] = {0, 1e-6, 0.5, 2};

static regex_t number_form, special_form;

/* A line, a token, or one byte of white space. */
struct part {
    const char *text;
    size_t length;
    unsigned long long line;
};

struct parts {
    struct part items[8192];
    size_t count;
};

static void cut(struct parts *parts, const char *text, size_t length, const char *separators,
                bool empty)
{
    unsigned long long line = 1;

    parts->count = 0;
    for (size_t start = 0, at = 0; at <= length; at++) {
        const bool end = at == length || (text[at] && strchr(separators, text[at]));

        if (!end)
            continue;
        if (empty || at > start)
            parts->items[parts->count++] = (struct part){text + start, at - start, line};
        line += at < length && text[at] == '\n';
        start = at + 1;
    }
}

static void cut_lines(struct parts *parts, const char *text, size_t length)
{
    cut(parts, text, length, "\n", true);
    for (size_t i = 0; i < parts->count; i++) {
        struct part *part = &parts->items[i];

        while (part->length > 0 && part->text[part->length - 1] &&
               strchr(" \t\r\v\f", part->text[part->length - 1]))
            part->length--;
    }
    while (parts->count > 0 && parts->items[parts->count - 1].length == 0)
        parts->count--;
}

/* Tokens, and between them each byte of white space. */
static void cut_all(struct parts *parts, const char *text, size_t length)
{
    unsigned long long line = 1;

    parts->count = 0;
    for (size_t at = 0, end; at < length; at = end) {
        for (end = at; end < length && !difference_excerpt_is_space(text[end]); end++)
            ;
        end += end == at;
        parts->items[parts->count++] = (struct part){text + at, end - at, line};
        line += text[at] == '\n';
    }
}

/* Lines without white space around them, and around the text. */
static void cut_stripped(struct parts *parts, const char *text, size_t length)
{
    unsigned long long skipped = 0;

    for (; length > 0 && difference_excerpt_is_space(*text); text++, length--)
        skipped += *text == '\n';
    cut_lines(parts, text, length);
    for (size_t i = 0; i < parts->count; i++) {
        struct part *part = &parts->items[i];

        part->line += skipped;
        for (; part->length > 0 && difference_excerpt_is_space(*part->text); part->length--)
            part->text++;
    }
}

static bool are_same(const struct part *one, const struct part *other)
{
    return one->length == other->length && memcmp(one->text, other->text, one->length) == 0;
}

static bool has_form(const regex_t *form, const struct part *part, char *string)
{
    if (part->length > DECIMAL_MAX || memchr(part->text, '\0', part->length))
        return false;
    memcpy(string, part->text, part->length);
    string[part->length] = '\0';
    return regexec(form, string, 0, NULL, 0) == 0;
}

/* Writes a number as digits without zeros around them, and a power of ten: "-12e-1" for -1.20. */
static void write_normal(char *text)
{
    char digits[DECIMAL_MAX + 1];
    char *exponent = strpbrk(text, "eE"), *point, *end, *start = digits;
    long long power = exponent ? strtoll(exponent + 1, NULL, 10) : 0;
    const bool negative = *text == '-';

    if (exponent)
        *exponent = '\0';
    strcpy(digits, text + (*text == '-' || *text == '+'));
    point = strchr(digits, '.');
    if (point) {
        power -= (long long)strlen(point + 1);
        memmove(point, point + 1, strlen(point));
    }
    start += strspn(start, "0");
    for (end = start + strlen(start); end > start && end[-1] == '0'; power++)
        *--end = '\0';
    if (*start)
        sprintf(text, "%s%se%lld", negative ? "-" : "", start, power);
    else
        strcpy(text, "0");
}

/* Whether both are the same number. The exponents have few digits. */
static bool are_equal_numbers(const struct part *expected, const struct part *output)
{
    char one[DECIMAL_MAX + 32], other[DECIMAL_MAX + 32];
    const char *e, *f;

    if (!has_form(&number_form, expected, one) || !has_form(&number_form, output, other))
        return false;
    e = strpbrk(one, "eE");
    f = strpbrk(other, "eE");
    if ((e && strlen(e) > 15) || (f && strlen(f) > 15))
        return decimal_equal(expected->text, expected->length, output->text, output->length);
    write_normal(one);
    write_normal(other);
    return strcmp(one, other) == 0;
}

static bool are_equal_lines(const struct part *expected, const struct part *output)
{
    static struct parts one, other;
    bool equal;

    if (are_same(expected, output))
        return true;
    cut(&one, expected->text, expected->length, " \t\v\f\r", false);
    cut(&other, output->text, output->length, " \t\v\f\r", false);
    equal = one.count > 0 && one.count == other.count;
    for (size_t i = 0; equal && i < one.count; i++)
        equal = are_equal_numbers(&one.items[i], &other.items[i]);
    return equal;
}

static bool are_near(const struct part *expected, const struct part *output, double tolerance)
{
    char one[DECIMAL_MAX + 1], other[DECIMAL_MAX + 1];
    double wanted, got;

    if (are_same(expected, output))
        return true;
    if (has_form(&special_form, expected, one) && has_form(&special_form, output, other))
        return strcasecmp(one, other) == 0;
    if (tolerance == 0)
        return are_equal_numbers(expected, output);
    if (!has_form(&number_form, expected, one) || !has_form(&number_form, output, other))
        return false;
    wanted = strtod(one, NULL);
    got = strtod(other, NULL);
    return isfinite(wanted) && isfinite(got) &&
           (fabs(wanted - got) <= tolerance || fabs(wanted - got) <= tolerance * fabs(wanted));
}

static bool are_equal(const struct comparison_rule *rule, const struct part *expected,
                      const struct part *output)
{
    if (rule->mode == COMPARE_FLOAT)
        return are_near(expected, output, rule->absolute);
    return rule->mode == COMPARE_LINES ? are_equal_lines(expected, output)
                                       : are_same(expected, output);
}

/* The line of the last token before a part; 0: there is none. */
static unsigned long long last_token(const struct parts *output, size_t i)
{
    while (i > 0 && difference_excerpt_is_space(output->items[i - 1].text[0]))
        i--;
    return i > 0 ? output->items[i - 1].line : 0;
}

/* What comparison_locate() has to say: "" if they are equal. Owned. */
static char *explain(const struct comparison_rule *rule, const struct parts *expected,
                     const struct parts *output)
{
    unsigned long long last;
    size_t i = 0;

    for (; i < expected->count && i < output->count; i++)
        if (!are_equal(rule, &expected->items[i], &output->items[i]))
            return string_format("line %llu differs", output->items[i].line);
    while (i < output->count && output->items[i].length == 0)
        i++;
    if (i < output->count)
        return string_format("line %llu differs", output->items[i].line);
    if (i == expected->count)
        return string_copy("");
    last = rule->exact_space ? last_token(output, i) : i > 0 ? output->items[i - 1].line : 0;
    if (last == 0)
        return string_copy("the output is empty");
    return string_format("the output ends too early, after line %llu", last);
}

static char *explain_exact(const char *expected, size_t expected_length, const char *output,
                           size_t length)
{
    unsigned long long line = 1;
    size_t i = 0;

    for (; i < expected_length && i < length && expected[i] == output[i]; i++)
        line += output[i] == '\n';
    if (i == expected_length && i == length)
        return string_copy("");
    if (i < length || (i > 0 && output[i - 1] != '\n'))
        return string_format("line %llu differs", line);
    if (i == 0)
        return string_copy("the output is empty");
    return string_format("the output ends too early, after line %llu", line - 1);
}

/*
 * Compares in pieces of a size, the last of which may be smaller, and checks the explanation.
 * Returns the message, owned.
 */
static char *check_pieces(const struct comparison_rule *rule, const char *expected,
                          size_t expected_length, const char *output, size_t length, size_t piece,
                          const char *explanation)
{
    struct comparison comparison;
    CLEANUP_FREE char *got = NULL;
    bool more = true, equal;

    comparison_init(&comparison, rule, expected, expected_length);
    for (size_t at = 0; at < length; at += piece) {
        const bool next =
            comparison_add(&comparison, output + at, piece < length - at ? piece : length - at);

        fuzz_require(more || !next, "it goes on after a difference");
        more = next;
    }
    equal = comparison_finish(&comparison);
    fuzz_require(more || !equal, "it is equal after a difference");
    got = comparison_locate(&comparison);
    fuzz_require(equal == !got, "equal: %d, and %s", equal, got ? got : "no difference");
    fuzz_require(strcmp(got ? got : "", explanation) == 0,
                 "mode %d, in pieces of %zu: '%s', not '%s'", (int)rule->mode, piece,
                 got ? got : "", explanation);
    return comparison_explain(&comparison);
}

static void require_same(const char *one, const char *other)
{
    fuzz_require(strcmp(one ? one : "", other ? other : "") == 0, "in pieces: '%s', not '%s'",
                 other ? other : "", one ? one : "");
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    fuzz_require(regcomp(&number_form, "^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?$",
                         REG_EXTENDED | REG_NOSUB) == 0 &&
                     regcomp(&special_form, "^[+-]?(inf|infinity|nan)$",
                             REG_EXTENDED | REG_NOSUB | REG_ICASE) == 0,
                 "regular expressions");
    return 0;
}

static void cut_both(const struct comparison_rule *rule, const char *text, size_t length,
                     struct parts *parts)
{
    if (rule->mode == COMPARE_TRIM)
        cut_lines(parts, text, length);
    else if (rule->mode == COMPARE_LINES)
        cut_stripped(parts, text, length);
    else if (rule->exact_space)
        cut_all(parts, text, length);
    else
        cut(parts, text, length, " \t\n\v\f\r", false);
}

/* The rule that the first byte chooses. */
static struct comparison_rule rule_of(uint8_t byte)
{
    struct comparison_rule rule = COMPARISON_RULE_INIT;

    rule.mode = byte & 64 ? COMPARE_LINES : (enum comparison_mode)(byte % 4);
    rule.ignore_case = byte & 16;
    rule.exact_space = (rule.mode == COMPARE_TOKENS || rule.mode == COMPARE_FLOAT) && byte & 32;
    rule.absolute = rule.relative = tolerances[byte / 4 % 4];
    return rule;
}

/* A copy for the simple comparison, in lower case if that is not to count. */
static void copy(const struct comparison_rule *rule, const char *text, size_t length, char *to)
{
    for (size_t i = 0; i < length; i++)
        to[i] =
            rule->ignore_case && text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] | 32) : text[i];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct parts expected_parts, output_parts;
    static char expected_copy[8192], output_copy[8192];
    const char *expected = (const char *)data + 2, *output;
    struct comparison_rule rule;
    size_t expected_length, length;
    CLEANUP_FREE char *explanation = NULL, *whole = NULL, *bytes = NULL, *pieces = NULL;

    if (size < 2 || size > 8000)
        return 0;
    rule = rule_of(data[0]);
    output = memchr(expected, 0xff, size - 2);
    expected_length = output ? (size_t)(output - expected) : size - 2;
    output = output ? output + 1 : expected + expected_length;
    length = size - 2 - (size_t)(output - expected);
    copy(&rule, expected, expected_length, expected_copy);
    copy(&rule, output, length, output_copy);
    if (rule.mode == COMPARE_EXACT) {
        explanation = explain_exact(expected_copy, expected_length, output_copy, length);
    } else {
        cut_both(&rule, expected_copy, expected_length, &expected_parts);
        cut_both(&rule, output_copy, length, &output_parts);
        explanation = explain(&rule, &expected_parts, &output_parts);
    }
    whole = check_pieces(&rule, expected, expected_length, output, length, length + 1, explanation);
    bytes = check_pieces(&rule, expected, expected_length, output, length, 1, explanation);
    pieces =
        check_pieces(&rule, expected, expected_length, output, length, 1 + data[1], explanation);
    require_same(whole, bytes);
    require_same(whole, pieces);
    return 0;
}

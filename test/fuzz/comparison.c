/*
 * Fuzz target: the comparison of output with what is expected. The first byte of the input chooses
 * the mode and the tolerance, the second one how the output is split; the rest is the expected
 * output up to the first byte 0xff, and then the output. These properties are checked:
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

#include "run/comparison.h"

static const double tolerances[] = {0, 1e-6, 0.5, 2};

static regex_t number_form, special_form;

/* A line or a token. */
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

static bool are_near(const struct part *expected, const struct part *output, double tolerance)
{
    char one[DECIMAL_MAX + 1], other[DECIMAL_MAX + 1];
    double wanted, got;

    if (are_same(expected, output))
        return true;
    if (has_form(&special_form, expected, one) && has_form(&special_form, output, other))
        return strcasecmp(one, other) == 0;
    if (!has_form(&number_form, expected, one) || !has_form(&number_form, output, other))
        return false;
    wanted = strtod(one, NULL);
    got = strtod(other, NULL);
    return isfinite(wanted) && isfinite(got) &&
           (fabs(wanted - got) <= tolerance || fabs(wanted - got) <= tolerance * fabs(wanted));
}

/* What comparison_locate() has to say: "" if they are equal. Owned. */
static char *explain(enum comparison_mode mode, double tolerance, const struct parts *expected,
                     const struct parts *output)
{
    size_t i = 0;

    for (; i < expected->count && i < output->count; i++)
        if (mode == COMPARE_FLOAT ? !are_near(&expected->items[i], &output->items[i], tolerance)
                                  : !are_same(&expected->items[i], &output->items[i]))
            return string_format("line %llu differs", output->items[i].line);
    while (i < output->count && output->items[i].length == 0)
        i++;
    if (i < output->count)
        return string_format("line %llu differs", output->items[i].line);
    if (i == expected->count)
        return string_copy("");
    if (i == 0)
        return string_copy("the output is empty");
    return string_format("the output ends too early, after line %llu", output->items[i - 1].line);
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
static char *check_pieces(enum comparison_mode mode, double tolerance, const char *expected,
                          size_t expected_length, const char *output, size_t length, size_t piece,
                          const char *explanation)
{
    struct comparison comparison;
    CLEANUP_FREE char *got = NULL;
    bool more = true, equal;

    comparison_init(&comparison, mode, tolerance, expected, expected_length);
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
                 "mode %d, in pieces of %zu: '%s', not '%s'", (int)mode, piece, got ? got : "",
                 explanation);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct parts expected_parts, output_parts;
    const char *expected = (const char *)data + 2, *output;
    enum comparison_mode mode;
    size_t expected_length, length;
    double tolerance;
    CLEANUP_FREE char *explanation = NULL, *whole = NULL, *bytes = NULL, *pieces = NULL;

    if (size < 2 || size > 8000)
        return 0;
    mode = (enum comparison_mode)(data[0] % 4);
    tolerance = tolerances[data[0] / 4 % 4];
    output = memchr(expected, 0xff, size - 2);
    expected_length = output ? (size_t)(output - expected) : size - 2;
    output = output ? output + 1 : expected + expected_length;
    length = size - 2 - (size_t)(output - expected);
    if (mode == COMPARE_EXACT) {
        explanation = explain_exact(expected, expected_length, output, length);
    } else if (mode == COMPARE_TRIM) {
        cut_lines(&expected_parts, expected, expected_length);
        cut_lines(&output_parts, output, length);
    } else {
        cut(&expected_parts, expected, expected_length, " \t\n\v\f\r", false);
        cut(&output_parts, output, length, " \t\n\v\f\r", false);
    }
    if (!explanation)
        explanation = explain(mode, tolerance, &expected_parts, &output_parts);
    whole = check_pieces(mode, tolerance, expected, expected_length, output, length, length + 1,
                         explanation);
    bytes =
        check_pieces(mode, tolerance, expected, expected_length, output, length, 1, explanation);
    pieces = check_pieces(mode, tolerance, expected, expected_length, output, length, 1 + data[1],
                          explanation);
    require_same(whole, bytes);
    require_same(whole, pieces);
    return 0;
}

#include "test.h"

#include "base/memory.h"
#include "compare/comparison.h"

/* Adds a copy of the bytes that ends where they do, so that a sanitizer sees reads beyond it. */
static void add_copy(struct comparison *comparison, const char *data, size_t length)
{
    CLEANUP_FREE char *copy = memory_allocate(length);

    memcpy(copy, data, length);
    comparison_add(comparison, copy, length);
}

/* What is expected, what comes, and what comparison_locate() says; NULL: they are equal. */
struct example {
    const char *expected;
    size_t expected_length;
    const char *output;
    size_t output_length;
    const char *explanation;
};

#define EXAMPLE(expected, output, explanation)                                                     \
    {                                                                                              \
        expected, sizeof expected - 1, output, sizeof output - 1, explanation                      \
    }

/* The output comes in three pieces: up to `one`, up to `two` and the rest. */
static void check_split(const struct comparison_rule *rule, const struct example *example,
                        size_t one, size_t two)
{
    CLEANUP_FREE char *expected = memory_allocate(example->expected_length);
    CLEANUP_FREE char *explanation = NULL;
    struct comparison comparison;
    bool equal;

    memcpy(expected, example->expected, example->expected_length);
    comparison_init(&comparison, rule, expected, example->expected_length);
    add_copy(&comparison, example->output, one);
    add_copy(&comparison, example->output + one, two - one);
    add_copy(&comparison, example->output + two, example->output_length - two);
    equal = comparison_finish(&comparison);
    explanation = comparison_locate(&comparison);
    if (equal != !example->explanation ||
        strcmp(explanation ? explanation : "", example->explanation ? example->explanation : "") !=
            0)
        fail_msg("mode %d: '%s' and '%s', split at %zu and %zu: '%s', not '%s'", (int)rule->mode,
                 example->expected, example->output, one, two, explanation ? explanation : "equal",
                 example->explanation ? example->explanation : "equal");
}

static void check_each(const struct comparison_rule *rule, const struct example *examples,
                       size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t one = 0; one <= examples[i].output_length; one++)
            for (size_t two = one; two <= examples[i].output_length; two++)
                check_split(rule, &examples[i], one, two);
}

static struct comparison_rule rule_of(enum comparison_mode mode, double tolerance)
{
    struct comparison_rule rule = COMPARISON_RULE_INIT;

    rule.mode = mode;
    rule.absolute = rule.relative = tolerance;
    return rule;
}

static void begin(struct comparison *comparison, enum comparison_mode mode, const char *expected,
                  size_t length)
{
    const struct comparison_rule rule = rule_of(mode, 0);

    comparison_init(comparison, &rule, expected, length);
}

#define check_rule(rule, examples) check_each(&(rule), examples, COUNT(examples))
#define check(mode, tolerance, examples)                                                           \
    do {                                                                                           \
        const struct comparison_rule its = rule_of(mode, tolerance);                               \
        check_rule(its, examples);                                                                 \
    } while (0)

CASE(comparison__exact)
{
    static const struct example examples[] = {
        EXAMPLE("", "", NULL),
        EXAMPLE("a", "a", NULL),
        EXAMPLE("a\nb\n", "a\nb\n", NULL),
        EXAMPLE("a\0b", "a\0b", NULL),
        EXAMPLE("\xff\xfe", "\xff\xfe", NULL),
        EXAMPLE("", "a", "line 1 differs"),
        EXAMPLE("", "\n", "line 1 differs"),
        EXAMPLE("a", "", "the output is empty"),
        EXAMPLE("a\n", "a", "line 1 differs"),
        EXAMPLE("a", "a\n", "line 1 differs"),
        EXAMPLE("a\n", "a\r\n", "line 1 differs"),
        EXAMPLE("a\n", "a \n", "line 1 differs"),
        EXAMPLE("a\nb\nc\n", "a\nb\nd\n", "line 3 differs"),
        EXAMPLE("a\nb\nc\n", "a\nb\n", "the output ends too early, after line 2"),
        EXAMPLE("a\nb\n", "a\nb\nc\n", "line 3 differs"),
        EXAMPLE("a\0b", "a\0c", "line 1 differs"),
        EXAMPLE("a", "a\0", "line 1 differs"),
        EXAMPLE("a\0", "a", "line 1 differs"),
    };

    check(COMPARE_EXACT, 0, examples);
}

CASE(comparison__trim_ignores)
{
    static const struct example examples[] = {
        EXAMPLE("", "", NULL),
        EXAMPLE("", "\n", NULL),
        EXAMPLE("", " \t\r\n\v\f\n", NULL),
        EXAMPLE(" \n\n", "", NULL),
        EXAMPLE("a", "a\n", NULL),
        EXAMPLE("a\n", "a", NULL),
        EXAMPLE("a\n", "a \t\v\f\r\n\n \n", NULL),
        EXAMPLE("a \t\r\n\n\n", "a", NULL),
        EXAMPLE("a\nb\n", "a\r\nb\r\n", NULL),
        EXAMPLE("a\r\nb\r\n", "a\nb\n", NULL),
        EXAMPLE("a\n\nb", "a  \n \t\nb", NULL),
        EXAMPLE("a  \n \t\nb", "a\n\nb\n", NULL),
        EXAMPLE("\n\na", " \n\t\na", NULL),
        EXAMPLE("  a  b", "  a  b  ", NULL),
        EXAMPLE("a\n \tb", "a \n \tb\n", NULL),
        EXAMPLE("a\0b\n", "a\0b", NULL),
        EXAMPLE("\xe4\xa0\n", "\xe4\xa0", NULL),
    };

    check(COMPARE_TRIM, 0, examples);
}

CASE(comparison__trim_differences)
{
    static const struct example examples[] = {
        EXAMPLE("", "a", "line 1 differs"),
        EXAMPLE("", "\n\na", "line 3 differs"),
        EXAMPLE("a", "", "the output is empty"),
        EXAMPLE("a", " \n \n", "the output is empty"),
        EXAMPLE("a", "b", "line 1 differs"),
        EXAMPLE("a", "A", "line 1 differs"),
        EXAMPLE("a", " a", "line 1 differs"),
        EXAMPLE(" a", "a", "line 1 differs"),
        EXAMPLE("a", "\na", "line 1 differs"),
        EXAMPLE("\na", "a", "line 1 differs"),
        EXAMPLE("abc", "ab", "line 1 differs"),
        EXAMPLE("abc", "ab\n", "line 1 differs"),
        EXAMPLE("ab", "abc", "line 1 differs"),
        EXAMPLE("a b", "a  b", "line 1 differs"),
        EXAMPLE("a  b", "a b", "line 1 differs"),
        EXAMPLE("a b", "a\tb", "line 1 differs"),
        EXAMPLE("a b", "a", "line 1 differs"),
        EXAMPLE("a b", "a\nb", "line 1 differs"),
        EXAMPLE("a\nb", "a b", "line 1 differs"),
        EXAMPLE("a\n b", "a\nb", "line 2 differs"),
        EXAMPLE("a\nb", "a\n\tb", "line 2 differs"),
        EXAMPLE("a\nb\nc", "a\nb\nd", "line 3 differs"),
        EXAMPLE("a\nb\nc", "a\nb\n", "the output ends too early, after line 2"),
        EXAMPLE("a\n\n\nb\n", "a\n\n\n", "the output ends too early, after line 1"),
        EXAMPLE("a\nb", "a\n\n\nb", "line 2 differs"),
        EXAMPLE("a\n\n\nb", "a\nb", "line 2 differs"),
        EXAMPLE("a\n", "a\n\n\nb", "line 4 differs"),
        EXAMPLE("a\nb", "a\nb\0", "line 2 differs"),
        EXAMPLE("a\0b", "a\0", "line 1 differs"),
    };

    check(COMPARE_TRIM, 0, examples);
}

CASE(comparison__tokens)
{
    static const struct example examples[] = {
        EXAMPLE("", "", NULL),
        EXAMPLE("", " \n", NULL),
        EXAMPLE(" \n", "", NULL),
        EXAMPLE("1 2 3", "1 2 3", NULL),
        EXAMPLE("1 2 3", "\n1\n2\t\v\f\r\n3\n", NULL),
        EXAMPLE("  1\n\n2  3\n", "1 2 3", NULL),
        EXAMPLE("a\0b c", "a\0b\nc", NULL),
        EXAMPLE("", "1", "line 1 differs"),
        EXAMPLE("1", "", "the output is empty"),
        EXAMPLE("1", "\n \n", "the output is empty"),
        EXAMPLE("1 2", "12", "line 1 differs"),
        EXAMPLE("12", "1 2", "line 1 differs"),
        EXAMPLE("12", "1\n2", "line 1 differs"),
        EXAMPLE("1 2", "1\n\n3", "line 3 differs"),
        EXAMPLE("1 2", "1 2\n3", "line 2 differs"),
        EXAMPLE("1 2 3", "1\n2\n\n", "the output ends too early, after line 2"),
        EXAMPLE("1.0", "1", "line 1 differs"),
        EXAMPLE("inf", "INF", "line 1 differs"),
        EXAMPLE("a", "a\0", "line 1 differs"),
        EXAMPLE("a\0", "a", "line 1 differs"),
    };

    check(COMPARE_TOKENS, 1, examples);
}

CASE(comparison__numbers)
{
    static const struct example examples[] = {
        EXAMPLE("", "", NULL),
        EXAMPLE("1", "1.0", NULL),
        EXAMPLE("1.0 2", "1\n+2.\n", NULL),
        EXAMPLE("0.5", "5e-1", NULL),
        EXAMPLE("0", "-0.0", NULL),
        EXAMPLE("1", "1.001", NULL),
        EXAMPLE("1", "0.999", NULL),
        EXAMPLE("0", "0.001", NULL),
        EXAMPLE("1000000", "1001000", NULL),
        EXAMPLE("-1000000", "-999000", NULL),
        EXAMPLE("case 1: 0.3333", "case 1: 0.3334", NULL),
        EXAMPLE("1e308", "1.0001e308", NULL),
        EXAMPLE("inf -inf NaN", "INF -Inf nan", NULL),
        EXAMPLE("+Infinity", "+infinity", NULL),
        EXAMPLE("1e999", "1e999", NULL),
        EXAMPLE("0x10", "0x10", NULL),
        EXAMPLE("1", "1.0011", "line 1 differs"),
        EXAMPLE("0", "0.0011", "line 1 differs"),
        EXAMPLE("1000000", "1001001", "line 1 differs"),
        EXAMPLE("1", "-1", "line 1 differs"),
        EXAMPLE("1e308", "-1e308", "line 1 differs"),
        EXAMPLE("16", "0x10", "line 1 differs"),
        EXAMPLE("1", "one", "line 1 differs"),
        EXAMPLE("one", "1", "line 1 differs"),
        EXAMPLE("a", "A", "line 1 differs"),
        EXAMPLE("1 2", "1", "the output ends too early, after line 1"),
        EXAMPLE("1 2", "1\n2\n3", "line 3 differs"),
        EXAMPLE("1 2 3", "1\n2\n4", "line 3 differs"),
        EXAMPLE("inf", "-inf", "line 1 differs"),
        EXAMPLE("inf", "+inf", "line 1 differs"),
        EXAMPLE("inf", "infinity", "line 1 differs"),
        EXAMPLE("inf", "1e308", "line 1 differs"),
        EXAMPLE("1", "nan", "line 1 differs"),
        EXAMPLE("nan", "1", "line 1 differs"),
        EXAMPLE("1e999", "2e999", "line 1 differs"),
        EXAMPLE("1", "1\0", "line 1 differs"),
        EXAMPLE("1", "1,0", "line 1 differs"),
    };

    check(COMPARE_FLOAT, 0.00100000001, examples);
}

CASE(comparison__numbers_without_a_tolerance)
{
    static const struct example examples[] = {
        EXAMPLE("0.1", "1e-1", NULL),
        EXAMPLE("100", "1e2", NULL),
        EXAMPLE("0.1", "0.10000000000000001", "line 1 differs"), /* the same double */
        EXAMPLE("9007199254740993", "9007199254740993.0", NULL),
        EXAMPLE("9007199254740993", "9007199254740992", "line 1 differs"),
        EXAMPLE("1e400", "10e399", NULL), /* too large for a double */
        EXAMPLE("0.1", "0.1000000000000001", "line 1 differs"),
    };

    check(COMPARE_FLOAT, 0, examples);
}

CASE(comparison__absolute_and_relative)
{
    static const struct example near_by[] = {
        EXAMPLE("1000", "1000.5", NULL),
        EXAMPLE("0", "0.5", NULL),
        EXAMPLE("1000", "1000.6", "line 1 differs"),
    };
    static const struct example times[] = {
        EXAMPLE("1000", "1010", NULL),
        EXAMPLE("-1000", "-990", NULL),
        EXAMPLE("1000", "1010.1", "line 1 differs"),
        EXAMPLE("0", "0.001", "line 1 differs"),
        EXAMPLE("0", "-0.0", NULL),
    };
    struct comparison_rule rule = rule_of(COMPARE_FLOAT, 0);

    rule.absolute = 0.5;
    check_rule(rule, near_by);
    rule.absolute = 0;
    rule.relative = 0.01;
    check_rule(rule, times);
}

CASE(comparison__ignoring_case)
{
    static const struct example examples[] = {
        EXAMPLE("Yes NO", "YES no", NULL),
        EXAMPLE("[", "{", "line 1 differs"),
        EXAMPLE("@", "`", "line 1 differs"),
        EXAMPLE("\xc3\x84", "\xc3\xa4", "line 1 differs"), /* only A to Z */
        EXAMPLE("a\nB", "A\nc", "line 2 differs"),
    };

    for (int mode = COMPARE_TRIM; mode <= COMPARE_LINES; mode++) {
        struct comparison_rule rule = rule_of((enum comparison_mode)mode, 0);

        rule.ignore_case = true;
        check_rule(rule, examples);
    }
}

CASE(comparison__exact_space)
{
    static const struct example examples[] = {
        EXAMPLE("a b\n", "a b\n", NULL),
        EXAMPLE("a b\n", "a  b\n", "line 1 differs"),
        EXAMPLE("a b\n", "a\tb\n", "line 1 differs"),
        EXAMPLE("a b\n", " a b\n", "line 1 differs"),
        EXAMPLE(" a", "a", "line 1 differs"),
        EXAMPLE("a b\n", "a b\n\n", "line 2 differs"),
        EXAMPLE("a b\n", "a b", "the output ends too early, after line 1"),
        EXAMPLE("a\n\nb", "a\nb", "line 2 differs"),
        EXAMPLE("ab", "a b", "line 1 differs"),
        EXAMPLE("a b", "ab", "line 1 differs"),
    };
    static const struct example numbers[] = {
        EXAMPLE("1.5 x", "1.50 x", NULL),
        EXAMPLE("1.5 x", "1.50  x", "line 1 differs"),
        EXAMPLE("1.5\n", "1.5 \n", "line 1 differs"),
    };
    struct comparison_rule rule = rule_of(COMPARE_TOKENS, 0);

    rule.exact_space = true;
    check_rule(rule, examples);
    rule.mode = COMPARE_FLOAT;
    check_rule(rule, examples);
    check_rule(rule, numbers);
}

CASE(comparison__lines)
{
    static const struct example examples[] = {
        EXAMPLE("", "", NULL),
        EXAMPLE("", " \n\t\n", NULL),
        EXAMPLE(" \n\n", "", NULL),
        EXAMPLE("a\nb\n", "\n\n  a \t\n b\r\n\n", NULL),
        EXAMPLE("\n a\n\n b", "a\n\nb", NULL),
        EXAMPLE("a b", "a  b", "line 1 differs"),
        EXAMPLE("a\n\nb", "a\nb", "line 2 differs"),
        EXAMPLE("a\nb", "a\n\nb", "line 2 differs"),
        EXAMPLE("a\nb", "a", "the output ends too early, after line 1"),
        EXAMPLE("a", "", "the output is empty"),
        EXAMPLE("a", " \n\n", "the output is empty"),
        EXAMPLE("a", "a\n\n\nb", "line 4 differs"),
        EXAMPLE("", "a", "line 1 differs"),
        EXAMPLE("", "\n\na", "line 3 differs"),
        EXAMPLE("abc", "ab", "line 1 differs"),
        EXAMPLE("ab", "abc", "line 1 differs"),
        EXAMPLE("1.50 2", "1.5 \t 2.0", NULL),
        EXAMPLE("1 2", "1  2", NULL),
        EXAMPLE("007", "7", NULL),
        EXAMPLE("-0", "0.00", NULL),
        EXAMPLE("1e3\n5", "1000\n+5", NULL),
        EXAMPLE("9007199254740993", "9007199254740992", "line 1 differs"),
        EXAMPLE("0.1", "0.10000000000000001", "line 1 differs"),
        EXAMPLE("1 2 3", "1 2", "line 1 differs"),
        EXAMPLE("1 2", "1 2 3", "line 1 differs"),
        EXAMPLE("1 2", "1\n2", "line 1 differs"),
        EXAMPLE("1 a", "1.0 a", "line 1 differs"), /* not all are numbers */
        EXAMPLE("a 1", "a 1.0", "line 1 differs"),
        EXAMPLE("e", "E", "line 1 differs"),
        EXAMPLE("1\0", "1", "line 1 differs"),
        EXAMPLE("1", "1\0", "line 1 differs"),
    };

    check(COMPARE_LINES, 0, examples);
}

/* A number that does not fit is compared as text. */
CASE(comparison__lines_with_long_numbers)
{
    char digits[3 * DECIMAL_MAX];
    struct comparison comparison;

    memset(digits, '7', sizeof digits);
    begin(&comparison, COMPARE_LINES, digits, sizeof digits);
    assert_true(comparison_add(&comparison, digits, sizeof digits));
    assert_true(comparison_finish(&comparison));
    begin(&comparison, COMPARE_LINES, digits, sizeof digits);
    comparison_add(&comparison, "0", 1);
    comparison_add(&comparison, digits, sizeof digits);
    assert_false(comparison_finish(&comparison));
}

/* A token of 400 bytes is read as a number, and a longer one is text. */
CASE(comparison__long_numbers)
{
    const struct comparison_rule exact_numbers = rule_of(COMPARE_FLOAT, 0);
    char digits[DECIMAL_MAX + 2];
    struct comparison comparison;

    memset(digits, '0', sizeof digits);
    digits[0] = '1';
    digits[1] = '.';
    comparison_init(&comparison, &exact_numbers, "1", 1);
    assert_true(comparison_add(&comparison, digits, DECIMAL_MAX));
    assert_true(comparison_finish(&comparison));

    comparison_init(&comparison, &exact_numbers, "1", 1);
    assert_true(comparison_add(&comparison, digits, DECIMAL_MAX));
    assert_false(comparison_add(&comparison, "0", 1));
    assert_false(comparison_finish(&comparison));

    comparison_init(&comparison, &exact_numbers, digits, sizeof digits);
    assert_true(comparison_add(&comparison, digits, sizeof digits));
    assert_true(comparison_finish(&comparison));

    comparison_init(&comparison, &exact_numbers, digits, sizeof digits);
    assert_true(comparison_add(&comparison, "1", 1));
    assert_false(comparison_finish(&comparison));
}

/* ---- what is expected and what was found */

/* The output comes in two pieces, cut at each place. */
static void check_explained(enum comparison_mode mode, const char *expected, const char *output,
                            const char *explanation)
{
    for (size_t cut = 0; cut <= strlen(output); cut++) {
        CLEANUP_FREE char *got = NULL;
        struct comparison comparison;

        begin(&comparison, mode, expected, strlen(expected));
        add_copy(&comparison, output, cut);
        add_copy(&comparison, output + cut, strlen(output) - cut);
        assert_false(comparison_finish(&comparison));
        got = comparison_explain(&comparison);
        if (strcmp(got, explanation) != 0)
            fail_msg("mode %d, '%s' and '%s', cut at %zu: %s, not %s", (int)mode, expected, output,
                     cut, got, explanation);
    }
}

CASE(comparison__explains_exact)
{
#define EXACT(...) check_explained(COMPARE_EXACT, __VA_ARGS__)
    EXACT("a\nb\nc\n", "a\nx\nc\n", "line 2 differs: expected 'b\\n', found 'x\\n'");
    EXACT("a\n", "a", "line 1 differs: expected 'a\\n', found 'a'");
    EXACT("a", "a\n", "line 1 differs: expected 'a', found 'a\\n'");
    EXACT("a\n", "a \n", "line 1 differs: expected 'a\\n', found 'a \\n'");
    EXACT("a\n", "a\r\n", "line 1 differs: expected 'a\\n', found 'a\\x0d\\n'");
    EXACT("a\nb\n", "a\n", "the output ends too early, after line 1: expected 'b\\n'");
    EXACT("a\n", "", "the output is empty: expected 'a\\n'");
    EXACT("a\n", "a\nb", "line 2 differs: expected no more output, found 'b'");
    EXACT("a\n", "a\n\n", "line 2 differs: expected no more output, found '\\n'");
    EXACT("", "a", "line 1 differs: expected no more output, found 'a'");
}

CASE(comparison__explains_trim)
{
#define TRIM(...) check_explained(COMPARE_TRIM, __VA_ARGS__)
    TRIM("a\nb\nc\n", "a\nx\nc\n", "line 2 differs: expected 'b', found 'x'");
    TRIM("abc  \n", "abd \t\n", "line 1 differs: expected 'abc', found 'abd'");
    TRIM("a b", "a\tb", "line 1 differs: expected 'a b', found 'a\\tb'");
    TRIM("a b", "a  b c", "line 1 differs: expected 'a b', found 'a  b c'");
    TRIM("a b\n", "a \n", "line 1 differs: expected 'a b', found 'a'");
    TRIM("a b\n", "a \nb\n", "line 1 differs: expected 'a b', found 'a'");
    TRIM("a\nb\n", "a b\n", "line 1 differs: expected 'a', found 'a b'");
    TRIM("a\n b\n", "a\nb\n", "line 2 differs: expected ' b', found 'b'");
    TRIM("a\nb\n", "a\n\n\nb\n", "line 2 differs: expected 'b', found ''");
    TRIM("a\n\n\nb\n", "a\nb\n", "line 2 differs: expected '', found 'b'");
    TRIM("a\nb\nc\n", "a\nb\n\n", "the output ends too early, after line 2: expected 'c'");
    TRIM("\n\n  a\nb\n", " \n", "the output is empty: expected '  a'");
    TRIM("a\n\n", "a\n\n\nb\n", "line 4 differs: expected no more output, found 'b'");
    TRIM("a", "ab", "line 1 differs: expected 'a', found 'ab'");
    TRIM(" \n", "ab", "line 1 differs: expected no more output, found 'ab'");
    TRIM("\xc3\xa4", "\xc3\xb6", "line 1 differs: expected '\xc3\xa4', found '\xc3\xb6'");
    TRIM("a b",
         "a\xc2\xa0"
         "b\x1b[2J\xff\xe2\x80\x8b",
         "line 1 differs: expected 'a b', found 'a\\xc2\\xa0b\\x1b[2J\\xff\\xe2\\x80\\x8b'");
}

CASE(comparison__explains_words)
{
#define WORDS(...) check_explained(COMPARE_TOKENS, __VA_ARGS__)
    WORDS("1 2 3", "1\n2 4 5\n", "line 2 differs: expected '3', found '4'");
    WORDS("12", "1 2", "line 1 differs: expected '12', found '1'");
    WORDS("1 2", "12 ", "line 1 differs: expected '1', found '12'");
    WORDS("1 2", "1\n", "the output ends too early, after line 1: expected '2'");
    WORDS(" 1 2", " \n", "the output is empty: expected '1'");
    WORDS("1 ", "1\n23 4", "line 2 differs: expected no more output, found '23'");
    check_explained(COMPARE_FLOAT, "a 0.50 b", "a\n0.6 b",
                    "line 2 differs: expected '0.50', found '0.6'");
    check_explained(COMPARE_FLOAT, "0.50", "0.6", "line 1 differs: expected '0.50', found '0.6'");
}

/* The middle of long lines and words is displayed, and characters are whole. */
CASE(comparison__explains_long_texts)
{
    static const char a40[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    CLEANUP_FREE char *many = string_format("%s%s%s%s", a40, a40, a40, a40);
    CLEANUP_FREE char *expected = string_format("%s\nx%s1%s\n", many, many, many);
    CLEANUP_FREE char *output = string_format("%s\nx%s\xc3\xa4%s\n", many, many, many);
    CLEANUP_FREE char *shorter = string_format("%s\nx%s\n", many, many);
    CLEANUP_FREE char *other = string_format("%s\nx%s%s\n", many, many, many);
    CLEANUP_FREE char *explanation = string_format(
        "line 2 differs: expected '...%s1%s%.19s...', found '...%s\xc3\xa4%s%.18s...'", a40, a40,
        a40, a40, a40, a40);
    CLEANUP_FREE char *ended = string_format("line 2 differs: expected '...%s1%s%.19s...', found "
                                             "'...%s'",
                                             a40, a40, a40, a40);
    CLEANUP_FREE char *same = string_format("line 2 differs: expected '...%s1%s%.19s...', found "
                                            "'...%s%s%.20s...'",
                                            a40, a40, a40, a40, a40, a40);

    check_explained(COMPARE_TRIM, expected, output, explanation);
    check_explained(COMPARE_EXACT, expected, output, explanation);
    check_explained(COMPARE_TOKENS, expected, output, explanation);
    check_explained(COMPARE_TRIM, expected, shorter, ended);
    check_explained(COMPARE_TOKENS, expected, shorter, ended);
    check_explained(COMPARE_FLOAT, expected, shorter, ended);
    check_explained(COMPARE_TOKENS, expected, other, same);
    check_explained(COMPARE_FLOAT, expected, other, same);
}

/* The difference is where the expected text has ended, so its end is displayed. */
CASE(comparison__explains_a_longer_line)
{
    CLEANUP_FREE char *blanks = string_format("a%200s", "");
    CLEANUP_FREE char *output = string_format("%sb", blanks);
    CLEANUP_FREE char *explanation =
        string_format("line 1 differs: expected 'a', found '...%40sb'", "");

    check_explained(COMPARE_TRIM, "a", output, explanation);
}

CASE(comparison__explains_lines)
{
#define LINES_OF(...) check_explained(COMPARE_LINES, __VA_ARGS__)
    LINES_OF(" a\nb\n", "a\nx\n", "line 2 differs: expected 'b', found 'x'");
    LINES_OF("a b", "a  b", "line 1 differs: expected 'a b', found 'a  b'");
    LINES_OF("1 2 \n", "1 3\n", "line 1 differs: expected '1 2', found '1 3'");
    LINES_OF("1 2\n", "1\n", "line 1 differs: expected '1 2', found '1'");
    LINES_OF("a\nb\n", "a\n\n\nb\n", "line 2 differs: expected 'b', found ''");
    LINES_OF("a\n\n\nb\n", "a\nb\n", "line 2 differs: expected '', found 'b'");
    LINES_OF("a\n b\n", "a\n", "the output ends too early, after line 1: expected 'b'");
    LINES_OF("a", "a\nb", "line 2 differs: expected no more output, found 'b'");
    LINES_OF("", "a", "line 1 differs: expected no more output, found 'a'");
}

CASE(comparison__explains_exact_space)
{
    struct comparison_rule rule = rule_of(COMPARE_FLOAT, 0);
    CLEANUP_FREE char *explanation = NULL;
    struct comparison comparison;

    rule.exact_space = true;
    comparison_init(&comparison, &rule, "1.5 x\n", 6);
    comparison_add(&comparison, "1.50  x\n", 8);
    explanation = comparison_explain(&comparison);
    assert_string_equal(explanation, "line 1 differs: expected '1.5 x\\n', found '1.50  x\\n'");
}

/* No more of the output is looked at than fits. */
CASE(comparison__explains_with_bounds)
{
    struct comparison comparison;
    CLEANUP_FREE char *explanation = NULL;

    begin(&comparison, COMPARE_TRIM, "\x1b", 1);
    for (int i = 0; i < 1000; i++)
        comparison_add(&comparison, "\x1a\x1a\x1a", 3);
    explanation = comparison_explain(&comparison);
    assert_int_equal(strlen(explanation), strlen("line 1 differs: expected '\\x1b', found '...'") +
                                              4 * DIFFERENCE_EXCERPT_MAX);
}

static const enum comparison_mode all_modes[] = {COMPARE_TRIM, COMPARE_EXACT, COMPARE_TOKENS,
                                                 COMPARE_FLOAT, COMPARE_LINES};

/* No expected output at all may be given as NULL. */
CASE(comparison__nothing_expected)
{
    for (size_t i = 0; i < COUNT(all_modes); i++) {
        struct comparison comparison;

        begin(&comparison, all_modes[i], NULL, 0);
        assert_true(comparison_add(&comparison, NULL, 0));
        assert_true(comparison_finish(&comparison));
        begin(&comparison, all_modes[i], NULL, 0);
        assert_false(comparison_add(&comparison, "x", 1));
        assert_false(comparison_finish(&comparison));
    }
}

/* Once the output differs, nothing that follows makes it equal or moves the difference. */
CASE(comparison__ends_at_the_first_difference)
{
    for (size_t i = 0; i < COUNT(all_modes); i++) {
        struct comparison comparison;
        CLEANUP_FREE char *explanation = NULL;

        begin(&comparison, all_modes[i], "a\nb\n", 4);
        assert_true(comparison_add(&comparison, "a\n", 2));
        assert_false(comparison_add(&comparison, "c\n", 2));
        for (int k = 0; k < 3; k++)
            assert_false(comparison_add(&comparison, "b\n\n\n", 4));
        assert_false(comparison_finish(&comparison));
        explanation = comparison_locate(&comparison);
        assert_string_equal(explanation, "line 2 differs");
    }
}

CASE(comparison__many_megabytes)
{
    enum { LINES = 1 << 20 };
    CLEANUP(strbuf_release) struct strbuf expected = STRBUF_INIT;

    for (int i = 0; i < LINES; i++)
        strbuf_addf(&expected, "%d\n", i);
    for (size_t i = 0; i < COUNT(all_modes); i++) {
        CLEANUP_FREE char *explanation = NULL;
        struct comparison comparison;

        begin(&comparison, all_modes[i], expected.data, expected.length);
        for (size_t at = 0, step = 1; at < expected.length; at += step, step = step % 65521 + 977) {
            if (step > expected.length - at)
                step = expected.length - at;
            assert_true(comparison_add(&comparison, expected.data + at, step));
        }
        assert_true(comparison_finish(&comparison));
        begin(&comparison, all_modes[i], expected.data, expected.length);
        comparison_add(&comparison, expected.data, expected.length - 2);
        comparison_add(&comparison, "x\n", 2);
        assert_false(comparison_finish(&comparison));
        explanation = comparison_locate(&comparison);
        assert_string_equal(explanation, "line 1048576 differs");
    }
}

/* White space that may or may not be ignored later is not kept. */
CASE(comparison__many_megabytes_of_white_space)
{
    enum { PIECE = 1 << 20, PIECES = 20 };
    CLEANUP_FREE char *piece = memory_allocate(PIECE);

    memset(piece, ' ', PIECE);
    for (int end = 0; end < 2; end++) {
        struct comparison comparison;

        begin(&comparison, COMPARE_TRIM, "a\nb", 3);
        assert_true(comparison_add(&comparison, "a", 1));
        for (int i = 0; i < PIECES; i++)
            assert_true(comparison_add(&comparison, piece, PIECE));
        assert_int_equal(comparison_add(&comparison, end ? "\nb" : "b", end ? 2 : 1), end);
        assert_int_equal(comparison_finish(&comparison), end);
    }
}

/* Nothing is known of the rest, so equal output counts as different, at the line it is cut at. */
CASE(comparison__of_output_that_is_cut)
{
    for (size_t i = 0; i < COUNT(all_modes); i++) {
        CLEANUP_FREE char *place = NULL, *explanation = NULL;
        struct comparison comparison;

        begin(&comparison, all_modes[i], "a\nb\n", 4);
        assert_true(comparison_add(&comparison, "a\nb\n", 4));
        comparison_skip(&comparison);
        assert_false(comparison_add(&comparison, "", 0));
        assert_false(comparison_add(&comparison, "a\nb\n", 4)); /* its end */
        assert_false(comparison_finish(&comparison));
        place = comparison_locate(&comparison);
        explanation = comparison_explain(&comparison);
        assert_string_equal(place, "the output is too long to be compared after line 3");
        assert_string_equal(explanation, place);
    }
}

/* A difference that was found before stays what it is, and explained by what was found. */
CASE(comparison__cut_after_a_difference)
{
    CLEANUP_FREE char *explanation = NULL;
    struct comparison comparison;

    begin(&comparison, COMPARE_EXACT, "a\nb\n", 4);
    assert_false(comparison_add(&comparison, "a\nc\n", 4));
    comparison_skip(&comparison);
    assert_false(comparison_finish(&comparison));
    explanation = comparison_explain(&comparison);
    assert_string_equal(explanation, "line 2 differs: expected 'b\\n', found 'c\\n'");
}

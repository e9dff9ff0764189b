#include "compare/value_comparison.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/decimal.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "compare/difference_excerpt.h"

/*
 * Values that are compared at most, since each element of a set may be compared with each one of an
 * array. A string counts as one more value for so many bytes.
 */
enum { WORK_MAX = 5000000, WORK_BYTES = 64 };

/* The value of an object's only member, whose name says what it stands for. */
struct tagged {
    const char *tag; /* NULL: it is a plain value */
    const json_t *value;
};

static struct tagged tagged_of(const json_t *found)
{
    void *member = json_object_iter((json_t *)found);

    return member ? (struct tagged){json_object_iter_key(member), json_object_iter_value(member)}
                  : (struct tagged){NULL, found};
}

static bool is_tag(const struct tagged *tagged, const char *tag)
{
    return tagged->tag && strcmp(tagged->tag, tag) == 0;
}

/* ---- what a driver reports */

static bool are_reported(const json_t *values)
{
    const char *name;
    size_t i;
    json_t *value;

    json_array_foreach(values, i, value)
        if (!value_is_reported(value))
            return false;
    json_object_foreach((json_t *)values, name, value)
        if (!value_is_reported(value))
            return false;
    return true;
}

/* An integer, or the name of what JSON has no number for. */
static bool is_number_text(const json_t *value)
{
    const char *text = json_string_value(value);
    const char *digits = text && *text == '-' ? text + 1 : text;

    if (!text || strlen(text) != json_string_length(value))
        return false;
    return strcmp(text, "NaN") == 0 || strcmp(digits, "Infinity") == 0 ||
           (*digits && strspn(digits, "0123456789") == strlen(digits));
}

bool value_is_reported(const json_t *found)
{
    const struct tagged tagged = tagged_of(found);

    if (!json_is_object(found))
        return are_reported(found);
    if (json_object_size(found) != 1)
        return false;
    if (is_tag(&tagged, VALUE_NUMBER))
        return is_number_text(tagged.value);
    return ((is_tag(&tagged, VALUE_DICT) && json_is_object(tagged.value)) ||
            (is_tag(&tagged, VALUE_SET) && json_is_array(tagged.value))) &&
           are_reported(tagged.value);
}

static void show_scalar(struct strbuf *text, const json_t *value)
{
    CLEANUP_FREE char *shown = json_dumps(value, JSON_ENCODE_ANY | json_text_flags(value));

    strbuf_addstr(text, shown);
}

static void show_string(struct strbuf *text, const char *string)
{
    json_t *value = json_string(string);

    show_scalar(text, value);
    json_decref(value);
}

void value_show(struct strbuf *text, const json_t *found)
{
    const struct tagged tagged = tagged_of(found);
    const char *name, *between = "";
    size_t i;
    json_t *value;

    if (is_tag(&tagged, VALUE_NUMBER)) {
        strbuf_addstr(text, json_string_value(tagged.value));
    } else if (json_is_array(tagged.value)) {
        strbuf_addch(text, '[');
        json_array_foreach(tagged.value, i, value) {
            strbuf_addstr(text, i > 0 ? ", " : "");
            value_show(text, value);
        }
        strbuf_addch(text, ']');
    } else if (json_is_object(tagged.value)) {
        strbuf_addch(text, '{');
        json_object_foreach((json_t *)tagged.value, name, value) {
            strbuf_addstr(text, between);
            between = ", ";
            show_string(text, name);
            strbuf_addstr(text, ": ");
            value_show(text, value);
        }
        strbuf_addch(text, '}');
    } else {
        show_scalar(text, tagged.value);
    }
}

/* ---- the comparison */

struct walk {
    const struct comparison_rule *rule;
    size_t work;
    struct strbuf path; /* of the values that are compared, until a difference was found */
    bool differs;       /* there is one, the first of which is: */
    const json_t *expected, *found;
};

static bool note_difference(struct walk *walk, const json_t *expected, const json_t *found)
{
    if (!walk->differs) {
        walk->differs = true;
        walk->expected = expected;
        walk->found = found;
    }
    return false;
}

static bool are_near(const struct walk *walk, double expected, double found)
{
    const double difference = fabs(found - expected);

    return isfinite(difference) && (difference <= walk->rule->absolute ||
                                    difference <= walk->rule->relative * fabs(expected));
}

static bool has_tolerance(const struct walk *walk)
{
    return walk->rule->absolute > 0 || walk->rule->relative > 0;
}

/* An integer may have more digits than a real number. */
static bool is_exactly(double real, json_int_t integer)
{
    return real >= -9223372036854775808.0 && real < 9223372036854775808.0 && trunc(real) == real &&
           (json_int_t)real == integer;
}

/* The text of a number; of a real one that is not a whole number "", which is equal to none. */
static const char *digits_of(const struct tagged *number, char digits[DECIMAL_MAX])
{
    const double real = json_real_value(number->value);

    if (number->tag)
        return json_string_value(number->value);
    *digits = '\0';
    if (json_is_integer(number->value))
        snprintf(digits, DECIMAL_MAX, "%" JSON_INTEGER_FORMAT, json_integer_value(number->value));
    else if (trunc(real) == real)
        snprintf(digits, DECIMAL_MAX, "%.0f", real);
    return digits;
}

/* NAN if it is too long. */
static double real_of(const struct tagged *number)
{
    double real = NAN;

    if (!number->tag)
        return json_number_value(number->value);
    decimal_read(json_string_value(number->value), json_string_length(number->value), &real);
    return real;
}

/* Of which one at least is an integer of any size, or no finite number. */
static bool are_equal_texts(const struct walk *walk, const struct tagged *expected,
                            const struct tagged *found)
{
    char one[DECIMAL_MAX], other[DECIMAL_MAX];
    const char *const digits = digits_of(expected, one), *const shown = digits_of(found, other);

    if ((json_is_real(expected->value) || json_is_real(found->value)) && has_tolerance(walk))
        return are_near(walk, real_of(expected), real_of(found));
    return decimal_equal(digits, strlen(digits), shown, strlen(shown));
}

static bool is_number(const struct tagged *value)
{
    return is_tag(value, VALUE_NUMBER) || json_is_number(value->value);
}

static bool are_equal_numbers(const struct walk *walk, const struct tagged *expected,
                              const struct tagged *found)
{
    const json_t *const one = expected->value, *const other = found->value;

    if (expected->tag || found->tag)
        return are_equal_texts(walk, expected, found);
    if (json_is_integer(one) && json_is_integer(other))
        return json_integer_value(one) == json_integer_value(other);
    if (json_is_integer(one) && !has_tolerance(walk))
        return is_exactly(json_real_value(other), json_integer_value(one));
    if (json_is_integer(other) && !has_tolerance(walk))
        return is_exactly(json_real_value(one), json_integer_value(other));
    return are_near(walk, json_number_value(one), json_number_value(other));
}

static bool compare(struct walk *walk, const json_t *expected, const json_t *found);

static bool compare_arrays(struct walk *walk, const json_t *expected, const json_t *found)
{
    const size_t before = walk->path.length;

    if (json_array_size(expected) != json_array_size(found))
        return note_difference(walk, expected, found);
    for (size_t i = 0; i < json_array_size(expected); i++) {
        if (!walk->differs)
            strbuf_addf(&walk->path, "[%zu]", i);
        if (!compare(walk, json_array_get(expected, i), json_array_get(found, i)))
            return false;
        walk->path.length = before;
    }
    return true;
}

static void add_name(struct strbuf *path, const char *name)
{
    strbuf_addch(path, '[');
    show_string(path, name);
    strbuf_addch(path, ']');
}

static bool compare_dicts(struct walk *walk, const json_t *expected, const json_t *found)
{
    const size_t before = walk->path.length;
    const char *name;
    json_t *value;

    if (json_object_size(expected) != json_object_size(found))
        return false;
    json_object_foreach((json_t *)expected, name, value) {
        const json_t *other = json_object_get(found, name);

        if (!other)
            return false;
        if (!walk->differs)
            add_name(&walk->path, name);
        if (!compare(walk, value, other))
            return false;
        walk->path.length = before;
    }
    return true;
}

/*
 * Finds for each expected element one of the set that has not been taken. Both are mostly in the
 * same order, so the search begins after the last one that was found.
 */
static bool compare_set(struct walk *walk, const json_t *expected, const json_t *found)
{
    const size_t count = json_array_size(expected);
    CLEANUP_FREE bool *taken = memory_allocate(count);
    const bool differs = walk->differs;
    size_t next = 0;

    memset(taken, 0, count);
    walk->differs = true; /* a difference of two elements is none of the sets */
    for (size_t i = 0; i < count && count == json_array_size(found); i++) {
        size_t tried = 0;

        for (; tried < count; tried++, next = (next + 1) % count, walk->work++)
            if (!taken[next] &&
                compare(walk, json_array_get(expected, i), json_array_get(found, next)))
                break;
        if (tried == count)
            break;
        taken[next] = true;
        if (i + 1 == count) {
            walk->differs = differs;
            return true;
        }
    }
    walk->differs = differs;
    return (count == 0 && json_array_size(found) == 0) || note_difference(walk, expected, found);
}

static bool compare(struct walk *walk, const json_t *expected, const json_t *found)
{
    const struct tagged one = tagged_of(expected), other = tagged_of(found);
    bool equal;

    walk->work +=
        1 + (json_string_length(one.value) + json_string_length(other.value)) / WORK_BYTES;
    if (walk->work > WORK_MAX)
        return note_difference(walk, expected, found);
    if (json_is_array(expected) && json_is_array(other.value))
        return is_tag(&other, VALUE_SET) ? compare_set(walk, expected, other.value)
                                         : compare_arrays(walk, expected, found);
    if (is_tag(&one, VALUE_DICT) && is_tag(&other, VALUE_DICT))
        equal = compare_dicts(walk, one.value, other.value);
    else if (is_number(&one) && is_number(&other))
        equal = are_equal_numbers(walk, &one, &other);
    else
        equal = !one.tag && !other.tag && json_equal(expected, found);
    return equal || note_difference(walk, expected, found);
}

static void explain(const struct walk *walk, struct strbuf *message)
{
    CLEANUP(strbuf_release) struct strbuf expected = STRBUF_INIT, found = STRBUF_INIT;

    if (walk->work > WORK_MAX) {
        strbuf_addstr(message, "the sets in the value are too large to be compared");
        return;
    }
    value_show(&expected, walk->expected);
    value_show(&found, walk->found);
    strbuf_addstr(message, "the value");
    if (walk->path.length > 0) {
        strbuf_addstr(message, " at ");
        difference_excerpt_show(message, walk->path.data, walk->path.length, 0);
    }
    strbuf_addstr(message, " differs: expected ");
    difference_excerpt_show(message, expected.data, expected.length, 0);
    strbuf_addstr(message, ", found ");
    difference_excerpt_show(message, found.data, found.length, 0);
}

bool value_compare(const json_t *expected, const json_t *found, const struct comparison_rule *rule,
                   struct strbuf *message)
{
    struct walk walk = {.rule = rule, .path = STRBUF_INIT};
    const bool equal = compare(&walk, expected, found);

    if (!equal && message)
        explain(&walk, message);
    strbuf_release(&walk.path);
    return equal;
}

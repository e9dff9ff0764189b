#include "base/decimal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Skips digits from an offset on. Returns the offset after them. */
static size_t skip_digits(const char *text, size_t length, size_t at)
{
    while (at < length && text[at] >= '0' && text[at] <= '9')
        at++;
    return at;
}

static size_t skip_sign(const char *text, size_t length, size_t at)
{
    return at < length && (text[at] == '+' || text[at] == '-') ? at + 1 : at;
}

static bool is_decimal(const char *text, size_t length)
{
    const size_t start = skip_sign(text, length, 0);
    size_t at = skip_digits(text, length, start);
    size_t digits = at - start;

    if (at < length && text[at] == '.') {
        const size_t fraction = at + 1;

        at = skip_digits(text, length, fraction);
        digits += at - fraction;
    }
    if (digits == 0)
        return false;
    if (at < length && (text[at] == 'e' || text[at] == 'E')) {
        const size_t exponent = skip_sign(text, length, at + 1);

        at = skip_digits(text, length, exponent);
        if (at == exponent)
            return false;
    }
    return at == length;
}

bool decimal_read(const char *text, size_t length, double *number)
{
    char copy[DECIMAL_MAX + 1];
    double value;

    if (length > DECIMAL_MAX || !is_decimal(text, length))
        return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    value = strtod(copy, NULL);
    if (!isfinite(value))
        return false;
    *number = value;
    return true;
}

/* A number as 0.DIGITS times a power of ten. Zero has no digits. */
struct decimal {
    const char *first, *end; /* of the digits in the text, which may have a point among them */
    bool negative;
    long long exponent;
};

/* The exponent that the text has from `at` on, "e-3". False if it is too long. */
static bool read_exponent(const char *text, size_t length, size_t at, long long *exponent)
{
    enum { DIGITS_MAX = 15 };
    const bool negative = at + 1 < length && text[at + 1] == '-';

    *exponent = 0;
    for (at = skip_sign(text, length, at + 1); at < length && text[at] == '0';)
        at++;
    if (at < length && length - at > DIGITS_MAX)
        return false;
    for (; at < length; at++)
        *exponent = 10 * *exponent + (text[at] - '0');
    *exponent = negative ? -*exponent : *exponent;
    return true;
}

static bool parse(const char *text, size_t length, struct decimal *number)
{
    const char *point = NULL;
    size_t mantissa = 0;

    if (!is_decimal(text, length))
        return false;
    while (mantissa < length && text[mantissa] != 'e' && text[mantissa] != 'E')
        mantissa++;
    *number = (struct decimal){.negative = *text == '-'};
    if (!read_exponent(text, length, mantissa, &number->exponent))
        return false;
    for (const char *at = text; at < text + mantissa; at++) {
        if (*at == '.')
            point = at;
        if (*at < '1' || *at > '9')
            continue;
        if (!number->first)
            number->first = at;
        number->end = at + 1;
    }
    if (!point)
        point = text + mantissa;
    if (number->first) /* a digit before the point is one place more */
        number->exponent += point - number->first + (number->first > point);
    return true;
}

/* The digit at a place, or after the point there. */
static const char *next_digit(const char *at)
{
    return *at == '.' ? at + 1 : at;
}

bool decimal_equal(const char *one, size_t one_length, const char *other, size_t other_length)
{
    struct decimal a, b;
    const char *left, *right;

    if (!parse(one, one_length, &a) || !parse(other, other_length, &b))
        return false;
    if (!a.first || !b.first)
        return !a.first && !b.first;
    if (a.negative != b.negative || a.exponent != b.exponent)
        return false;
    left = a.first;
    right = b.first;
    while (left < a.end && right < b.end) {
        left = next_digit(left);
        right = next_digit(right);
        if (*left++ != *right++)
            return false;
    }
    return left == a.end && right == b.end;
}

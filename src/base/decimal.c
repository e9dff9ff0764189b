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

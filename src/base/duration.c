#include "base/duration.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* No timeout needs more, and no sum with a clock overflows. */
static const double LONGEST_MS = 366.0 * 24 * 3600 * 1000;

/* Far below a nanosecond, and far above the rounding errors of binary fractions. */
static const long double ROUNDING_MS = 1e-7L;

/* Returns the length of the decimal number at the start of the text: digits, at most one point. */
static size_t number_length(const char *text)
{
    size_t whole = strspn(text, "0123456789");
    size_t fraction = 0;

    if (text[whole] != '.')
        return whole;
    fraction = strspn(text + whole + 1, "0123456789");
    return whole + fraction == 0 ? 0 : whole + 1 + fraction;
}

/* Returns the unit at the start of the text in milliseconds; *length is 0 if there is none. */
static long double unit_in_ms(const char *text, size_t *length)
{
    /* "ms" comes before "m": the first unit that matches is taken. */
    static const struct {
        const char *name;
        long double milliseconds;
    } units[] = {
        {"ns", 1e-6L}, {"us", 1e-3L}, {"\xc2\xb5s", 1e-3L}, {"\xce\xbcs", 1e-3L},
        {"ms", 1},     {"s", 1000},   {"m", 60000},         {"h", 3600000},
    };

    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        *length = strlen(units[i].name);
        if (strncmp(text, units[i].name, *length) == 0)
            return units[i].milliseconds;
    }
    *length = 0;
    return 0;
}

int duration_parse(const char *text, long long *milliseconds, struct error *error)
{
    const char *rest = text;
    long double total = 0;

    do {
        const size_t digits = number_length(rest);
        size_t unit_length = 0;
        const long double number = digits ? strtold(rest, NULL) : 0;
        long double unit = unit_in_ms(rest + digits, &unit_length);
        const bool is_alone = rest == text && rest[digits] == '\0';

        if (is_alone)
            unit = unit_in_ms("s", &unit_length);
        if (digits == 0 || unit_length == 0)
            return error_set(error, ERROR_USAGE,
                             "'%s' is not a duration; write it like 500ms, 30, 1m30s or 1h", text);
        total += number * unit;
        rest += digits + (is_alone ? 0 : unit_length);
    } while (*rest);

    if (!(total > 0 && total <= LONGEST_MS))
        return error_set(error, ERROR_USAGE, "'%s' must be more than 0 and less than a year", text);
    *milliseconds = total < 1 ? 1 : (long long)ceill(total - ROUNDING_MS);
    return 0;
}

int number_parse(const char *text, const char *unit, double *number, struct error *error)
{
    const size_t length = number_length(text);

    if (length == 0 || text[length] != '\0')
        return error_set(error, ERROR_USAGE, "'%s' is not a number%s%s", text, *unit ? " of " : "",
                         unit);
    *number = strtod(text, NULL);
    if (!isfinite(*number))
        return error_set(error, ERROR_USAGE, "'%s' is too large", text);
    return 0;
}

/* The bytes of a unit as people write it: "m", "MB", "MiB"; 0: it is none. */
static double bytes_of_unit(const char *text)
{
    static const char letters[] = "bkmg";
    static const char *const rests[] = {"", "b", "ib"};
    const char letter = (char)(*text | 0x20);
    const char *found = *text ? strchr(letters, letter) : NULL;

    for (size_t i = 0; found && i < sizeof rests / sizeof *rests; i++)
        if (strcasecmp(text + 1, rests[i]) == 0 && (letter != 'b' || i == 0))
            return (double)(1ULL << 10 * (found - letters));
    return 0;
}

int size_parse(const char *text, double unit_bytes, const char *unit, double *number,
               struct error *error)
{
    const size_t length = number_length(text);
    const double bytes = text[length] ? bytes_of_unit(text + length) : unit_bytes;

    if (length == 0 || bytes == 0)
        return error_set(error, ERROR_USAGE, "'%s' is not a size; write it like 512m, 1g, or 64 %s",
                         text, unit);
    *number = strtod(text, NULL) * bytes / unit_bytes;
    if (!isfinite(*number))
        return error_set(error, ERROR_USAGE, "'%s' is too large", text);
    return 0;
}

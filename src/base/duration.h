/*
 * Durations and numbers as people type them.
 */
#ifndef BASE_DURATION_H
#define BASE_DURATION_H

#include "base/error.h"

/*
 * Reads a duration in the notation of Go's time.ParseDuration (https://pkg.go.dev/time): one or
 * more numbers, each with a unit (ns, us, µs, ms, s, m, h), such as "1m30s" or "1.5s", without a
 * sign. A number alone means seconds. The result is in whole milliseconds, rounded up; 0 and more
 * than a year are refused. ERROR_USAGE.
 */
int duration_parse(const char *text, long long *milliseconds, struct error *error);

/*
 * Reads a plain decimal number such as "64" or "0.5": no sign, no exponent, no hexadecimal digits,
 * no NaN and no unit. `unit` is for the message of the ERROR_USAGE, like "MB"; "" if there is none.
 */
int number_parse(const char *text, const char *unit, double *number, struct error *error);

/*
 * Reads a size: a number with one of the units b, k, m and g of docker (powers of 1024), also
 * written like "MB" or "MiB", in upper or lower case; or a number alone, in units of `unit_bytes`
 * bytes, as which the result comes back. `unit` as in number_parse(). ERROR_USAGE.
 */
int size_parse(const char *text, double unit_bytes, const char *unit, double *number,
               struct error *error);

#endif

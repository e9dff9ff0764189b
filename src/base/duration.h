/*
 * Durations and numbers as people type them.
 */
#ifndef BASE_DURATION_H
#define BASE_DURATION_H

#include "base/error.h"

/*
 * Reads a duration in the notation of Go's time.ParseDuration (https://pkg.go.dev/time): numbers
 * with a unit (ns, us, µs, ms, s, m, h) one after the other, "1m30s", "1.5s". No sign. The result
 * is in whole milliseconds, rounded up; 0 and more than a year are refused. ERROR_USAGE.
 */
int duration_parse(const char *text, long long *milliseconds, struct error *error);

/*
 * Reads a plain decimal number, "64" or "0.5": no sign, no exponent, no hexadecimal, no NaN, and no
 * unit, which the message names: "MB"; "" if the number stands alone. ERROR_USAGE otherwise.
 */
int number_parse(const char *text, const char *unit, double *number, struct error *error);

#endif

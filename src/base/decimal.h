/*
 * Decimal numbers as programs print them, such as "-1.5e-3".
 */
#ifndef BASE_DECIMAL_H
#define BASE_DECIMAL_H

#include <stdbool.h>
#include <stddef.h>

/* Maximum bytes of a number. A double needs at most 325 of them in decimal form. */
enum { DECIMAL_MAX = 400 };

/*
 * Reads a number with an optional sign, fraction and exponent, as strtod(3) reads it in the C
 * locale. False, without changing *number, if the bytes are no such number and nothing else: white
 * space, hexadecimal digits, infinity and NaN are refused, and so are numbers that are too large
 * for a double or longer than DECIMAL_MAX.
 */
bool decimal_read(const char *text, size_t length, double *number);

/*
 * Whether both are such numbers, of any size, and exactly the same one: 10e-1 is 1.0, and
 * 9007199254740993 is not 9007199254740992. False if an exponent has more than 15 digits.
 */
bool decimal_equal(const char *one, size_t one_length, const char *other, size_t other_length);

#endif

/*
 * The order in which people expect names with numbers in them: "figure-9" is before "figure-10".
 */
#ifndef BASE_NATURAL_ORDER_H
#define BASE_NATURAL_ORDER_H

/* Compares two names as strcmp(3) does, but the numbers in them by their value. */
int natural_order(const char *one, const char *other);

#endif

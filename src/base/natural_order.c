#include "base/natural_order.h"

#include <stdbool.h>
#include <string.h>

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

/* Compares the numbers at the start of both strings, and moves the strings to the end of them. */
static int compare_numbers(const char **one, const char **other)
{
    size_t length[2];
    int order;

    *one += strspn(*one, "0");
    *other += strspn(*other, "0");
    length[0] = strspn(*one, "0123456789");
    length[1] = strspn(*other, "0123456789");
    order =
        length[0] == length[1] ? memcmp(*one, *other, length[0]) : (length[0] > length[1] ? 1 : -1);
    *one += length[0];
    *other += length[1];
    return order;
}

int natural_order(const char *one, const char *other)
{
    const char *a = one, *b = other;

    while (*a && *b) {
        if (is_digit(*a) && is_digit(*b)) {
            const int order = compare_numbers(&a, &b);

            if (order != 0)
                return order;
        } else if (*a != *b) {
            break;
        } else {
            a++;
            b++;
        }
    }
    if (*a != *b)
        return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
    return strcmp(one, other); /* they differ at most by zeros in front of numbers */
}

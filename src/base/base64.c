#include "base/base64.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/strbuf.h"

/* The value of a digit, or -1. */
static int digit_value(char digit)
{
    if (digit >= 'A' && digit <= 'Z')
        return digit - 'A';
    if (digit >= 'a' && digit <= 'z')
        return digit - 'a' + 26;
    if (digit >= '0' && digit <= '9')
        return digit - '0' + 52;
    return digit == '+' ? 62 : digit == '/' ? 63 : -1;
}

static bool is_space(char character)
{
    return character == ' ' || character == '\t' || character == '\n' || character == '\r';
}

char *base64_decode(const char *text, size_t text_length, size_t *length)
{
    char *bytes = memory_allocate(text_length / 4 * 3 + 4);
    unsigned long bits = 0;
    size_t digits = 0, padding = 0;
    bool good = true;

    *length = 0;
    for (size_t i = 0; i < text_length && good; i++) {
        const int value = digit_value(text[i]);

        if (is_space(text[i]))
            continue;
        if (text[i] == '=') {
            padding++;
            continue;
        }
        good = value >= 0 && padding == 0;
        bits = (bits << 6 | (unsigned long)value) & 0xffffff;
        if (++digits % 4 != 1) /* 2, 3 and 4 digits give 1, 2 and 3 bytes */
            bytes[(*length)++] = (char)(bits >> (4 - digits % 4) % 4 * 2 & 0xff);
    }
    good = good && digits % 4 != 1 && (padding == 0 || (digits + padding) % 4 == 0) && padding <= 2;
    if (!good) {
        free(bytes);
        return NULL;
    }
    bytes[*length] = '\0';
    return bytes;
}

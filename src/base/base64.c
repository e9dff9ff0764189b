#include "base/base64.h"

#include <stdlib.h>

#include "base/memory.h"

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

bool base64_read(const char *text, size_t text_length, unsigned char *bytes, size_t *length)
{
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
            bytes[(*length)++] = (unsigned char)(bits >> (4 - digits % 4) % 4 * 2 & 0xff);
    }
    return good && digits % 4 != 1 && (padding == 0 || (digits + padding) % 4 == 0) && padding <= 2;
}

char *base64_decode(const char *text, size_t text_length, size_t *length)
{
    char *bytes = memory_allocate(BASE64_BYTES(text_length) + 1);

    if (!base64_read(text, text_length, (unsigned char *)bytes, length)) {
        free(bytes);
        return NULL;
    }
    bytes[*length] = '\0';
    return bytes;
}

void base64_write(const void *data, size_t length, char *text)
{
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
    const unsigned char *bytes = data;

    for (size_t i = 0; i < length; i += 3) {
        const size_t count = length - i < 3 ? length - i : 3;
        unsigned long bits = (unsigned long)bytes[i] << 16;

        bits |= count > 1 ? (unsigned long)bytes[i + 1] << 8 : 0;
        bits |= count > 2 ? bytes[i + 2] : 0;
        for (size_t digit = 0; digit < 4; digit++)
            *text++ = digits[digit <= count ? bits >> (18 - 6 * digit) & 63 : 64];
    }
}

char *base64_encode(const char *data, size_t length)
{
    char *text = memory_allocate(BASE64_LENGTH(length) + 1);

    base64_write(data, length, text);
    text[BASE64_LENGTH(length)] = '\0';
    return text;
}

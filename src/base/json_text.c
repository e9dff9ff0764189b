#include "base/json_text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"

/* Decimal digits of a double: all that has at most the first number of them, and any (DBL_DIG). */
enum { REAL_DIGITS_MIN = 15, REAL_DIGITS_MAX = 17 };

/* Returns the value of four hexadecimal digits, or -1. */
static long hex4(const char *digits)
{
    long value = 0;

    for (int i = 0; i < 4; i++) {
        const int digit = text_hex_digit(digits[i]);

        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

/*
 * Returns the length of the escape at `text`, which begins with a backslash and has `left` bytes.
 * *half is set if the escape is half a surrogate pair: U+D800 to U+DBFF without U+DC00 to U+DFFF
 * after it, or one of the latter alone.
 */
static size_t measure_escape(const char *text, size_t left, bool *half)
{
    const long unit = left >= 6 && text[1] == 'u' ? hex4(text + 2) : -1;
    const long next =
        unit >= 0 && left >= 12 && text[6] == '\\' && text[7] == 'u' ? hex4(text + 8) : -1;
    const bool pair = unit >= 0xd800 && unit <= 0xdbff && next >= 0xdc00 && next <= 0xdfff;

    *half = !pair && unit >= 0xd800 && unit <= 0xdfff;
    return pair ? 12 : unit >= 0 ? 6 : 2;
}

/* Replaces each half of a surrogate pair by U+FFFD, in place. False if there is none. */
static bool mend_surrogates(char *line, size_t length)
{
    bool mended = false;

    for (size_t i = 0; i + 1 < length;) {
        bool half = false;
        const size_t step = line[i] == '\\' ? measure_escape(line + i, length - i, &half) : 1;

        if (half)
            memcpy(line + i, "\\ufffd", 6);
        mended |= half;
        i += step;
    }
    return mended;
}

size_t json_text_count(const char *line, size_t length)
{
    size_t count = 1;
    bool quoted = false;

    for (size_t i = 0; i < length; i++) {
        if (quoted && line[i] == '\\')
            i++;
        else if (line[i] == '"')
            quoted = !quoted;
        else if (!quoted && (line[i] == '{' || line[i] == '[' || line[i] == ','))
            count++;
    }
    return count;
}

size_t json_text_levels(const char *line, size_t length)
{
    size_t level = 0, deepest = 0;
    bool quoted = false;

    for (size_t i = 0; i < length; i++) {
        if (quoted && line[i] == '\\')
            i++;
        else if (line[i] == '"')
            quoted = !quoted;
        else if (!quoted && (line[i] == '{' || line[i] == '['))
            deepest = ++level > deepest ? level : deepest;
        else if (!quoted && level > 0 && (line[i] == '}' || line[i] == ']'))
            level--;
    }
    return deepest;
}

/* How many digits the number needs, from `digits` on. */
static int digits_of(double number, int digits)
{
    char text[32];

    for (; digits < REAL_DIGITS_MAX; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    return digits;
}

static int digits_of_all(const json_t *value, int digits)
{
    size_t i;
    json_t *item;
    const char *name;

    if (json_is_real(value))
        return digits_of(json_real_value(value), digits);
    json_array_foreach(value, i, item)
        digits = digits_of_all(item, digits);
    json_object_foreach((json_t *)value, name, item) /* the macro asks for it; nothing is changed */
        digits = digits_of_all(item, digits);
    return digits;
}

size_t json_text_flags(const json_t *value)
{
    return JSON_COMPACT | JSON_REAL_PRECISION(digits_of_all(value, REAL_DIGITS_MIN));
}

static json_t *parse(const char *line, size_t length, size_t more, json_error_t *where)
{
    const size_t flags = JSON_ALLOW_NUL | JSON_DECODE_ANY | more;
    json_t *value = json_loadb(line, length, flags, where);

    if (!value) {
        CLEANUP(strbuf_release) struct strbuf copy = STRBUF_INIT;

        strbuf_add(&copy, line, length);
        if (mend_surrogates(copy.data, length))
            value = json_loadb(copy.data, length, flags, where);
    }
    return value;
}

json_t *json_text_parse(const char *line, size_t length, json_error_t *where)
{
    return parse(line, length, 0, where);
}

json_t *json_text_parse_unique(const char *line, size_t length, json_error_t *where)
{
    return parse(line, length, JSON_REJECT_DUPLICATES, where);
}

/* Whether only blanks are between the comma and a bracket that closes. */
static bool is_last_comma(const char *text, size_t length)
{
    size_t at = 1;

    while (at < length && strchr(" \t\r\n", text[at]) && text[at])
        at++;
    return at < length && (text[at] == '}' || text[at] == ']');
}

const char *json_text_hint(const char *text, size_t length)
{
    bool quoted = false, blank = true;

    for (size_t i = 0; i < length; i++) {
        const char *at = text + i;

        blank &= *at && strchr(" \t\r\n", *at) != NULL;
        if (quoted && *at == '\\')
            i++;
        else if (*at == '"')
            quoted = !quoted;
        else if (quoted)
            continue;
        else if (*at == '#' || (*at == '/' && i + 1 < length && strchr("/*", at[1]) && at[1]))
            return "JSON has no comments";
        else if (*at == '\'')
            return "strings in JSON have double quotes";
        else if (*at == ',' && is_last_comma(at, length - i))
            return "JSON has no comma before a bracket that closes";
    }
    return blank ? "it is empty" : NULL;
}

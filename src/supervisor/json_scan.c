#include "supervisor/json_scan.h"

#include <stdint.h>
#include <string.h>

/* After the string that begins here, or at the end of the text. */
static const char *skip_string(const char *at)
{
    at++;
    while (*at != '\0' && *at != '"')
        at += at[0] == '\\' && at[1] != '\0' ? 2 : 1;
    return *at == '"' ? at + 1 : at;
}

/* After the value that begins here, or at the end of the text. */
static const char *skip_value(const char *at)
{
    size_t depth = 0;

    do {
        if (*at == '"') {
            at = skip_string(at);
            continue;
        }
        if (*at == '{' || *at == '[')
            depth++;
        else if (*at == '}' || *at == ']')
            depth--;
        else if (depth == 0) /* a number or a literal */
            return at + strcspn(at, ",]}");
        if (*at != '\0')
            at++;
    } while (depth > 0 && *at != '\0');
    return at;
}

size_t json_scan_length(const char *value)
{
    return value ? (size_t)(skip_value(value) - value) : 0;
}

const char *json_scan_member(const char *object, const char *name)
{
    const size_t length = strlen(name);

    if (!object || *object != '{')
        return NULL;
    for (const char *at = object + 1; *at == '"';) {
        const char *end = skip_string(at);

        if (*end != ':')
            return NULL;
        if ((size_t)(end - at) == length + 2 && strncmp(at + 1, name, length) == 0)
            return end + 1;
        at = skip_value(end + 1);
        if (*at == ',')
            at++;
    }
    return NULL;
}

const char *json_scan_first(const char *array)
{
    return array && array[0] == '[' && array[1] != ']' && array[1] != '\0' ? array + 1 : NULL;
}

const char *json_scan_next(const char *item)
{
    const char *end = item ? skip_value(item) : "";

    return *end == ',' && end[1] != '\0' ? end + 1 : NULL;
}

bool json_scan_is(const char *value, const char *literal)
{
    const size_t length = strlen(literal);

    if (!value)
        return false;
    if (*value == '"')
        return strncmp(value + 1, literal, length) == 0 && value[length + 1] == '"';
    return json_scan_length(value) == length && strncmp(value, literal, length) == 0;
}

/* ---- texts */

static void add_character(struct strbuf *text, uint32_t code)
{
    if (code < 0x80) {
        strbuf_addch(text, (char)code);
        return;
    }
    if (code < 0x800) {
        strbuf_addch(text, (char)(0xc0 | code >> 6));
    } else {
        if (code < 0x10000) {
            strbuf_addch(text, (char)(0xe0 | code >> 12));
        } else {
            strbuf_addch(text, (char)(0xf0 | code >> 18));
            strbuf_addch(text, (char)(0x80 | (code >> 12 & 0x3f)));
        }
        strbuf_addch(text, (char)(0x80 | (code >> 6 & 0x3f)));
    }
    strbuf_addch(text, (char)(0x80 | (code & 0x3f)));
}

/* The number of four hexadecimal digits; UINT32_MAX: these are none. */
static uint32_t read_digits(const char *at)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    uint32_t number = 0;

    for (int i = 0; i < 4; i++) {
        const char *digit = at[i] != '\0' ? strchr(digits, at[i]) : NULL;

        if (!digit)
            return UINT32_MAX;
        number =
            number << 4 | (uint32_t)(digit - digits < 16 ? digit - digits : digit - digits - 6);
    }
    return number;
}

/* Adds the character of \uXXXX, or of two of them, and returns what follows. */
static const char *add_unicode(const char *at, struct strbuf *text)
{
    uint32_t code = read_digits(at + 2), low;

    if (code == UINT32_MAX)
        return at + 1;
    at += 6;
    if (code >> 10 == 0x36 && at[0] == '\\' && at[1] == 'u') {
        low = read_digits(at + 2);
        if (low >> 10 == 0x37) {
            code = 0x10000 + ((code & 0x3ff) << 10 | (low & 0x3ff));
            at += 6;
        }
    }
    add_character(text, code >> 11 == 0x1b ? 0xfffd : code); /* half of a pair */
    return at;
}

/* What a letter after a backslash stands for. */
static char meaning(char letter)
{
    switch (letter) {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return letter;
    }
}

bool json_scan_text(const char *value, struct strbuf *text)
{
    if (!value || *value != '"')
        return false;
    for (value++; *value != '\0' && *value != '"';) {
        const size_t plain = strcspn(value, "\\\"");

        strbuf_add(text, value, plain);
        value += plain;
        if (value[0] != '\\' || value[1] == '\0')
            break;
        if (value[1] == 'u') {
            value = add_unicode(value, text);
            continue;
        }
        strbuf_addch(text, meaning(value[1]));
        value += 2;
    }
    return true;
}

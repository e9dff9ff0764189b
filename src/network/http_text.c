#include "network/http_text.h"

#include <string.h>

static char lower(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (char)(c - 'A' + 'a');
    return c;
}

bool http_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

bool http_is_token_byte(char c)
{
    return (lower(c) >= 'a' && lower(c) <= 'z') || http_is_digit(c) ||
           (c != '\0' && strchr("!#$%&'*+-.^_`|~", c));
}

bool http_is_value_byte(char c)
{
    return c == '\t' || ((unsigned char)c >= ' ' && c != 0x7f);
}

bool span_has_only(struct span text, bool (*is_good)(char))
{
    for (size_t i = 0; i < text.length; i++)
        if (!is_good(text.at[i]))
            return false;
    return true;
}

bool span_is_token(struct span text)
{
    return text.length > 0 && span_has_only(text, http_is_token_byte);
}

bool span_equal(struct span one, struct span other)
{
    if (one.length != other.length)
        return false;
    for (size_t i = 0; i < one.length; i++)
        if (lower(one.at[i]) != lower(other.at[i]))
            return false;
    return true;
}

bool span_starts_with(struct span text, const char *word)
{
    const struct span start = {word, strlen(word)};

    return text.length >= start.length && span_equal((struct span){text.at, start.length}, start);
}

bool span_is(struct span text, const char *word)
{
    return span_equal(text, (struct span){word, strlen(word)});
}

struct span span_trim(struct span text)
{
    while (text.length > 0 && is_blank(text.at[0]))
        text = (struct span){text.at + 1, text.length - 1};
    while (text.length > 0 && is_blank(text.at[text.length - 1]))
        text.length--;
    return text;
}

bool span_cut(struct span *text, char byte, struct span *part)
{
    const char *end = memchr(text->at, byte, text->length);

    if (!end)
        return false;
    *part = (struct span){text->at, (size_t)(end - text->at)};
    *text = (struct span){end + 1, text->length - part->length - 1};
    return true;
}

bool span_read_number(struct span text, unsigned long long max, unsigned long long *number)
{
    if (text.length == 0 || (text.length > 1 && text.at[0] == '0') ||
        !span_has_only(text, http_is_digit))
        return false;
    *number = 0;
    for (size_t i = 0; i < text.length; i++) {
        const unsigned digit = (unsigned)(text.at[i] - '0');

        if (*number > (max - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return true;
}

#include "base/value_text.h"

#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_text.h"
#include "base/strbuf.h"

/* Each integer with fewer digits has 64 bits. */
enum { DIGITS_MIN = 19 };

/* Bytes of the string that begins with a quote at `text`, or of what is left of it. */
static size_t measure_string(const char *text, size_t length)
{
    size_t at = 1;

    while (at < length && text[at] != '"')
        at += text[at] == '\\' ? 2 : 1;
    return at < length ? at + 1 : length;
}

/* Bytes of the word or number at `text`; 0: there is none. */
static size_t measure_token(const char *text, size_t length)
{
    size_t at = 0;

    while (at < length && text[at] && !strchr(" \t\r\n\"[]{},:", text[at]))
        at++;
    return at;
}

static bool is_long_integer(const char *token, size_t length)
{
    size_t at = *token == '-';

    if (length < at + DIGITS_MIN || token[at] == '0')
        return false;
    while (at < length && token[at] >= '0' && token[at] <= '9')
        at++;
    return at == length;
}

/* Writes the text in the form of drivers; what is not JSON stays so. */
static void tag(struct strbuf *tagged, const char *text, size_t length)
{
    for (size_t at = 0, step; at < length; at += step) {
        const char *from = text + at;

        step = *from == '"' ? measure_string(from, length - at) : measure_token(from, length - at);
        if (step > 0 && is_long_integer(from, step)) {
            strbuf_addf(tagged, "{\"" VALUE_NUMBER "\":\"%.*s\"}", (int)step, from);
        } else if (step > 0) {
            strbuf_add(tagged, from, step);
        } else {
            step = 1;
            strbuf_addstr(tagged, *from == '{' ? "{\"" VALUE_DICT "\":" : "");
            strbuf_add(tagged, from, 1);
            strbuf_addstr(tagged, *from == '}' ? "}" : "");
        }
    }
}

json_t *value_text_parse(const char *text, size_t length, json_error_t *where)
{
    CLEANUP(strbuf_release) struct strbuf tagged = STRBUF_INIT;

    tag(&tagged, text, length);
    return json_text_parse_unique(strbuf_string(&tagged), tagged.length, where);
}

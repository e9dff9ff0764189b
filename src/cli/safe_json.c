#include "cli/safe_json.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "cli/print.h"

enum { PRINT_AT = 65536 };

struct json_target {
    json_dump_callback_t write;
    void *context;
};

/* Writes "\\uXXXX", or two of them above U+FFFF (RFC 8259, section 7). Returns the length. */
static size_t escape_code_point(unsigned long code_point, char escaped[13])
{
    if (code_point <= 0xffff)
        return (size_t)snprintf(escaped, 13, "\\u%04lx", code_point);
    return (size_t)snprintf(escaped, 13, "\\u%04lx\\u%04lx",
                            0xd800 + ((code_point - 0x10000) >> 10),
                            0xdc00 + ((code_point - 0x10000) & 0x3ff));
}

/* Such characters occur only inside strings, and jansson passes whole characters. */
static int write_safely(const char *piece, size_t length, void *context)
{
    const struct json_target *target = context;
    size_t done = 0, sequence;

    for (size_t at = 0; at < length; at += sequence) {
        unsigned long code_point = 0;
        char escaped[13];

        sequence = utf8_read(piece + at, length - at, &code_point);
        if (sequence == 0)
            return -1; /* not from jansson */
        /*
         * Line feeds and blanks between the values are jansson's own: in strings it escapes them.
         */
        if (code_point < 0x7f || !text_is_invisible(code_point))
            continue;
        if (target->write(piece + done, at - done, target->context) != 0 ||
            target->write(escaped, escape_code_point(code_point, escaped), target->context) != 0)
            return -1;
        done = at + sequence;
    }
    return target->write(piece + done, length - done, target->context);
}

int safe_json_dump(const json_t *object, size_t flags, json_dump_callback_t write, void *context)
{
    struct json_target target = {write, context};

    return json_dump_callback(object, write_safely, &target, flags);
}

int safe_json_add(const char *piece, size_t length, void *buffer)
{
    strbuf_add(buffer, piece, length);
    return 0;
}

/* Collects pieces and prints them in larger ones: the whole text may have 100 MB. */
static int print_piece(const char *piece, size_t length, void *context)
{
    struct strbuf *buffer = context;

    strbuf_add(buffer, piece, length);
    if (buffer->length >= PRINT_AT) {
        print_bytes(buffer->data, buffer->length);
        buffer->length = 0;
    }
    return print_failure() == 0 ? 0 : -1;
}

void safe_json_print(const json_t *value, bool indented)
{
    const size_t flags = SAFE_JSON_FLAGS | (indented ? JSON_INDENT(2) : 0);
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    safe_json_dump(value, flags, print_piece, &text);
    strbuf_addch(&text, '\n');
    print_bytes(text.data, text.length);
}

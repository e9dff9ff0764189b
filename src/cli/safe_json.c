#include "cli/safe_json.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "cli/print.h"

enum { PRINT_AT = 65536 };

struct target {
    json_dump_callback_t write;
    void *context;
};

/* Such characters can only stand inside of strings, and jansson gives whole characters. */
static int write_safely(const char *piece, size_t length, void *context)
{
    const struct target *target = context;
    size_t done = 0;

    for (size_t i = 0; i < length; i++) {
        const unsigned char byte = (unsigned char)piece[i];
        const unsigned char next = i + 1 < length ? (unsigned char)piece[i + 1] : 0;
        const size_t skip = byte == 0x7f ? 1 : byte == 0xc2 && next >= 0x80 && next <= 0x9f ? 2 : 0;
        char escaped[8];

        if (skip == 0)
            continue;
        snprintf(escaped, sizeof escaped, "\\u%04x", skip == 1 ? byte : next);
        if (target->write(piece + done, i - done, target->context) != 0 ||
            target->write(escaped, 6, target->context) != 0)
            return -1;
        i += skip - 1;
        done = i + 1;
    }
    return target->write(piece + done, length - done, target->context);
}

int safe_json_dump(const json_t *object, size_t flags, json_dump_callback_t write, void *context)
{
    struct target target = {write, context};

    return json_dump_callback(object, write_safely, &target, flags);
}

int safe_json_add(const char *piece, size_t length, void *buffer)
{
    strbuf_add(buffer, piece, length);
    return 0;
}

/* Adds to a buffer and prints it whenever it is long enough: what is printed may be 100 MB. */
static int print_piece(const char *piece, size_t length, void *context)
{
    struct strbuf *waiting = context;

    strbuf_add(waiting, piece, length);
    if (waiting->length >= PRINT_AT) {
        print_bytes(waiting->data, waiting->length);
        waiting->length = 0;
    }
    return print_error() == 0 ? 0 : -1;
}

void safe_json_print(const json_t *value, bool indented)
{
    const size_t flags = SAFE_JSON_FLAGS | (indented ? JSON_INDENT(2) : 0);
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    safe_json_dump(value, flags, print_piece, &text);
    strbuf_addch(&text, '\n');
    print_bytes(text.data, text.length);
}

/*
 * Reads sealed lines (base/sealed_lines.h) out of bytes that arrive in pieces.
 */
#ifndef BASE_SEALED_READER_H
#define BASE_SEALED_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/sealed_lines.h"
#include "base/strbuf.h"

struct sealed_reader {
    struct sealed_lines lines;
    struct strbuf line; /* the start of a line */
    bool broken;        /* a line was not the next one: nothing that follows is taken */
};

void sealed_reader_init(struct sealed_reader *reader, const char *key);
void sealed_reader_release(struct sealed_reader *reader);

/* Takes the next bytes, and appends to `out` those of all lines that are complete. */
void sealed_reader_add(struct sealed_reader *reader, const char *data, size_t length,
                       struct strbuf *out);

#endif

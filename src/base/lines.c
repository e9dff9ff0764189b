#include "base/lines.h"

#include <string.h>

#include "base/linux.h"

/* A buffer that has grown beyond this size for a long line is freed after that line. */
enum { KEEP = 1 << 18 };

/* The byte order mark in UTF-8. */
static const char BOM[] = "\xef\xbb\xbf";
enum { BOM_LENGTH = sizeof BOM - 1 };

/* Drops the lines that have been returned. */
static void drop_used(struct lines *lines)
{
    if (lines->start > 0)
        strbuf_drop(&lines->buffer, lines->start);
    lines->searched -= lines->start;
    lines->start = 0;
}

void lines_feed(struct lines *lines, const char *data, size_t length)
{
    if (lines->skipping) {
        const char *newline = memchr(data, '\n', length);
        const size_t skipped = newline ? (size_t)(newline - data) + 1 : length;

        lines->skipping = newline == NULL;
        data += skipped;
        length -= skipped;
    }
    drop_used(lines);
    strbuf_add(&lines->buffer, data, length);
}

enum lines_event lines_next(struct lines *lines, const char **line, size_t *length)
{
    if (lines->buffer.capacity > KEEP && lines->start == lines->buffer.length) {
        const size_t freed = lines->buffer.capacity;

        strbuf_release(&lines->buffer);
        linux_trim_memory(freed);
        lines->start = lines->searched = 0;
    }
    const char *data = strbuf_string(&lines->buffer);
    const size_t end = lines->buffer.length;
    const char *newline = memchr(data + lines->searched, '\n', end - lines->searched);
    const size_t found = newline ? (size_t)(newline - data) : end;

    *line = data + lines->start;
    *length = found - lines->start;
    if (*length > lines->max_length) {
        lines->skipping = newline == NULL;
        lines->start = lines->searched = newline ? found + 1 : end;
        lines->begun = true;
        return LINES_TOO_LONG;
    }
    lines->searched = found;
    if (!newline)
        return LINES_NONE;
    lines->start = lines->searched = found + 1;
    if (*length > 0 && (*line)[*length - 1] == '\r')
        --*length;
    if (!lines->begun && *length >= BOM_LENGTH && memcmp(*line, BOM, BOM_LENGTH) == 0) {
        *line += BOM_LENGTH;
        *length -= BOM_LENGTH;
    }
    lines->begun = true;
    return LINES_LINE;
}

void lines_end(struct lines *lines)
{
    if (lines->buffer.length > lines->start)
        lines_feed(lines, "\n", 1);
}

void lines_release(struct lines *lines)
{
    strbuf_release(&lines->buffer);
}

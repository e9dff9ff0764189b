/*
 * Cuts a stream of bytes into lines, each of which is a message, as in MCP over stdio. A line has a
 * maximum length, so that a line without an end cannot fill the memory: the rest of it is skipped.
 * A byte order mark, with which some editors begin a file, is no part of the first line.
 */
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

struct lines {
    size_t max_length;    /* of a line, in bytes */
    struct strbuf buffer; /* bytes that were fed; those before `start` have been returned */
    size_t start;
    size_t searched; /* the buffer has no newline before this offset */
    bool skipping;   /* the rest of a line that is too long */
    bool begun;      /* the first line is over */
};

#define LINES_INIT(bytes)                                                                          \
    {                                                                                              \
        .max_length = (bytes)                                                                      \
    }

enum lines_event {
    LINES_NONE,    /* there is no whole line: feed more */
    LINES_LINE,    /* a line, without its end ("\n" or "\r\n") */
    LINES_TOO_LONG /* a line is too long; returned once, as soon as this is known */
};

/* Copies the bytes. Call lines_next() until LINES_NONE before the next call. */
void lines_feed(struct lines *lines, const char *data, size_t length);

/* Returns the next line, borrowed until the next call; no NUL follows it. */
enum lines_event lines_next(struct lines *lines, const char **line, size_t *length);

/* Ends the input: the bytes after the last newline are a line too. */
void lines_end(struct lines *lines);

void lines_release(struct lines *lines);

#endif

/*
 * Bytes cut into lines, of which each is a message (in MCP over stdio, for one: messages are
 * delimited by newlines). Nobody can fill the memory with a line that does not end: past a limit
 * the rest of it is skipped unseen.
 */
#ifndef BASE_LINES_H
#define BASE_LINES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

struct lines {
    size_t most;          /* bytes of a line */
    struct strbuf buffer; /* what was fed and not yet handed out, from `start` on */
    size_t start;
    size_t searched; /* no newline before this place of the buffer */
    bool skipping;   /* in the rest of a line that is too long */
};

#define LINES_INIT(bytes)                                                                          \
    {                                                                                              \
        .most = (bytes)                                                                            \
    }

enum lines_event {
    LINES_NONE,    /* no whole line is there: feed more */
    LINES_LINE,    /* a line, without its end ("\n" or "\r\n") */
    LINES_TOO_LONG /* a line has passed the limit; told once, as soon as it is known */
};

/* Takes bytes over; call lines_next() until LINES_NONE before the next. */
void lines_feed(struct lines *lines, const char *data, size_t length);

/* The next line, borrowed until the next call. */
enum lines_event lines_next(struct lines *lines, const char **line, size_t *length);

/* Ends the input: what follows the last newline counts as a line. */
void lines_end(struct lines *lines);

void lines_release(struct lines *lines);

#endif

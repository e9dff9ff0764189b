/*
 * Keeps the head and the tail of a stream of unknown length, half of a limit each, and counts all
 * of its bytes. Memory grows with the bytes that arrive, but never past the limit.
 */
#ifndef BASE_CAPTURE_H
#define BASE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

struct capture {
    size_t limit;             /* bytes kept at most */
    unsigned long long total; /* bytes that arrived */
    const char *rest;         /* borrowed; where what is dropped can be read; NULL: nowhere */
    struct strbuf head;       /* the first limit / 2 bytes */
    char *ring;               /* owned; the last limit - limit / 2 bytes after the head */
    size_t ring_size;
    size_t ring_at; /* index of the next byte to write; if the ring is full, of the oldest byte */
    size_t ring_length;
};

#define CAPTURE_INIT(bytes)                                                                        \
    {                                                                                              \
        .limit = (bytes), .head = STRBUF_INIT                                                      \
    }

void capture_add(struct capture *capture, const char *data, size_t length);

/*
 * So many bytes are missing here, and as many follow as the tail has: the stream was cut before it
 * arrived.
 */
void capture_skip(struct capture *capture, unsigned long long length);

/* True if some bytes were dropped. */
bool capture_truncated(const struct capture *capture);

/*
 * Returns the kept text as valid UTF-8 (see text_add_utf8()), owned by the caller. If the middle
 * was dropped, a line "[... N bytes left out ...]", or "[... N bytes left out; more is at REST
 * ...]", takes its place, and no character is cut in two.
 * Empties the capture except for its total, so that bytes and text are not in memory together
 * longer than needed.
 */
struct strbuf capture_take_text(struct capture *capture);

void capture_release(struct capture *capture);

#endif

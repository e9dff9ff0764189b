/*
 * What is kept of a stream of unknown length: its head and its tail, half of the limit each, and
 * the true count of its bytes. Memory grows with what arrives and never past the limit.
 */
#ifndef BASE_CAPTURE_H
#define BASE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

struct capture {
    size_t limit;             /* bytes kept at most */
    unsigned long long total; /* bytes that arrived */
    struct strbuf head;       /* the first limit / 2 bytes */
    char *ring;               /* owned; the last limit - limit / 2 bytes after the head */
    size_t ring_size;
    size_t ring_at; /* where the next byte goes, which is also the oldest when the ring is full */
    size_t ring_length;
};

#define CAPTURE_INIT(bytes)                                                                        \
    {                                                                                              \
        .limit = (bytes), .head = STRBUF_INIT                                                      \
    }

void capture_add(struct capture *capture, const char *data, size_t length);

bool capture_truncated(const struct capture *capture);

/*
 * The kept text as valid UTF-8 (see text_add_utf8()), owned by the caller. Where the middle is
 * missing, a line "[... N bytes left out ...]" stands for it and no character is cut in two.
 * Empties the capture, so that both forms are never in memory longer than needed.
 */
struct strbuf capture_take_text(struct capture *capture);

void capture_release(struct capture *capture);

#endif

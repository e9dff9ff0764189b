#include "base/capture.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

static void ring_add(struct capture *capture, const char *data, size_t length)
{
    const size_t size = capture->limit - capture->limit / 2;

    if (!capture->ring) {
        capture->ring = memory_allocate(size);
        capture->ring_size = size;
    }
    if (length > size) { /* only the end of it is kept */
        data += length - size;
        length = size;
    }
    while (length > 0) {
        const size_t room = size - capture->ring_at;
        const size_t part = length < room ? length : room;

        memcpy(capture->ring + capture->ring_at, data, part);
        capture->ring_at = (capture->ring_at + part) % size;
        capture->ring_length += part;
        data += part;
        length -= part;
    }
    if (capture->ring_length > size)
        capture->ring_length = size;
}

void capture_add(struct capture *capture, const char *data, size_t length)
{
    const size_t head_room = capture->limit / 2 - capture->head.length;
    const size_t head_part = length < head_room ? length : head_room;

    capture->total += length;
    strbuf_add(&capture->head, data, head_part);
    if (length > head_part)
        ring_add(capture, data + head_part, length - head_part);
}

void capture_skip(struct capture *capture, unsigned long long length)
{
    capture->total += length;
}

bool capture_truncated(const struct capture *capture)
{
    return capture->total > capture->limit;
}

/* Appends the ring's content to `out`, in one piece. */
static void add_ring(const struct capture *capture, struct strbuf *out)
{
    const size_t start = capture->ring_length < capture->ring_size ? 0 : capture->ring_at;
    const size_t first = capture->ring_length - start;

    if (capture->ring_length == 0)
        return;
    strbuf_add(out, capture->ring + start, first);
    strbuf_add(out, capture->ring, start);
}

struct strbuf capture_take_text(struct capture *capture)
{
    struct strbuf text = STRBUF_INIT;
    struct strbuf tail = STRBUF_INIT;

    if (!capture_truncated(capture)) {
        add_ring(capture, &capture->head); /* the ring continues the head */
        text_add_utf8(&text, strbuf_string(&capture->head), capture->head.length);
    } else {
        const char *head = strbuf_string(&capture->head);
        const size_t head_length = capture->head.length - utf8_cut_tail(head, capture->head.length);
        size_t cut;

        add_ring(capture, &tail);
        cut = utf8_cut_head(strbuf_string(&tail), tail.length);
        text_add_utf8(&text, head, head_length);
        strbuf_addf(&text, "\n[... %llu bytes left out%s%s ...]\n",
                    capture->total - head_length - (tail.length - cut),
                    capture->rest ? "; more is at " : "", capture->rest ? capture->rest : "");
        text_add_utf8(&text, strbuf_string(&tail) + cut, tail.length - cut);
        strbuf_release(&tail);
    }
    capture_release(capture);
    return text;
}

void capture_release(struct capture *capture)
{
    strbuf_release(&capture->head);
    free(capture->ring);
    capture->ring = NULL;
    capture->ring_size = capture->ring_at = capture->ring_length = 0;
}

#include "run/transcript.h"

#include <string.h>

#include "base/clock.h"
#include "base/text.h"

static const char marks[] = {[SAID_BY_PROGRAM] = '>', [SAID_BY_INTERACTOR] = '<'};

void transcript_init(struct transcript *transcript, size_t max, long long until_ms)
{
    *transcript =
        (struct transcript){.lock = PTHREAD_MUTEX_INITIALIZER, .max = max, .until_ms = until_ms};
}

/* Adds what fits of a line, which may be cut. */
static void add_line(struct transcript *transcript, enum transcript_side side)
{
    struct strbuf *line = &transcript->lines[side];
    const size_t needed = 1 + line->length + 1;

    if (transcript->text.length + needed > transcript->max) {
        transcript->truncated = true;
    } else {
        strbuf_add(&transcript->text, &marks[side], 1);
        strbuf_add(&transcript->text, line->data, line->length);
        strbuf_add(&transcript->text, "\n", 1);
    }
    strbuf_release(line);
}

/* Adds to the line of a side, of which no more is kept than could ever fit. */
static void add_part(struct transcript *transcript, enum transcript_side side, const char *data,
                     size_t length)
{
    struct strbuf *line = &transcript->lines[side];
    const size_t room =
        transcript->max - (line->length < transcript->max ? line->length : transcript->max);

    strbuf_add(line, data, length < room ? length : room);
}

void transcript_add(struct transcript *transcript, enum transcript_side side, const char *data,
                    size_t length)
{
    const long long now = clock_now_ms();

    pthread_mutex_lock(&transcript->lock);
    if (now < transcript->until_ms)
        transcript->last_ms = now;
    while (length > 0 && !transcript->truncated) {
        const char *end = memchr(data, '\n', length);
        const size_t part = end ? (size_t)(end - data) : length;

        add_part(transcript, side, data, part);
        if (end)
            add_line(transcript, side);
        data += end ? part + 1 : part;
        length -= end ? part + 1 : part;
    }
    pthread_mutex_unlock(&transcript->lock);
}

struct strbuf transcript_finish(struct transcript *transcript)
{
    struct strbuf text = STRBUF_INIT;

    for (int side = 0; side < 2; side++)
        if (transcript->lines[side].length > 0 && !transcript->truncated)
            add_line(transcript, (enum transcript_side)side);
    text_add_utf8(&text, strbuf_string(&transcript->text), transcript->text.length);
    strbuf_release(&transcript->text);
    return text;
}

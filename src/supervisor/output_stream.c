#include "supervisor/output_stream.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/descriptors.h"
#include "supervisor/figures.h"
#include "supervisor/frame_header.h"

/*
 * A program that writes byte after byte would cost a frame for each of them, and the engine several
 * times the CPU time that it uses itself. So after that many reads of a few bytes in a row, each is
 * put off for a moment, in which more can gather. Until then, and after a pause, all is sent at
 * once, in the order of the two streams.
 */
enum { GATHER_AFTER = 64, GATHER_BELOW = 4096, GATHER_US = 2000, GATHER_PAUSE_US = 10000 };

/*
 * In a script each piece is a line of a log, so they gather for longer. After SMALL_MAX pieces of
 * few bytes the rest stays in the pipe until there is more of it, or until the program has ended:
 * so the number of lines is bounded.
 */
enum { SCRIPT_GATHER_US = 100000, SCRIPT_GATHER_PAUSE_US = 500000 };
enum { SMALL_MAX = 16384, SMALL_BELOW = 1024, SMALL_WAIT_MS = 100 };

/* What is read after the head. */
static char bytes_after[FRAME_CHUNK];

void output_stream_init(struct output_stream *stream, struct frame_link *link,
                        enum frame_channel channel, int *fd)
{
    *stream = (struct output_stream){.link = link,
                                     .channel = channel,
                                     .fd = fd,
                                     .clock_us = figures_clock_us,
                                     .head_max = UINT64_MAX};
    memset(bytes_after, 1, sizeof bytes_after);
}

bool output_stream_limit(struct output_stream *stream, uint64_t head_max, uint64_t tail_max)
{
    stream->head_max = head_max;
    return tail_buffer_begin(&stream->tail, tail_max);
}

void output_stream_begin(struct output_stream *stream, uint64_t max)
{
    stream->written = 0;
    stream->max = max;
    stream->left = UINT64_MAX;
    stream->exceeded = false;
    stream->head_left = stream->head_max;
    stream->beyond = 0;
    stream->small = 0;
}

void output_stream_pass_pending(struct output_stream *stream)
{
    stream->left = descriptor_pending(*stream->fd);
}

void output_stream_pass_all(struct output_stream *stream)
{
    stream->left = UINT64_MAX;
}

bool output_stream_is_writing(const struct output_stream *stream)
{
    return *stream->fd >= 0 && stream->left > 0 && !descriptor_is_drained(*stream->fd);
}

static void note_read(struct output_stream *stream, size_t length)
{
    const uint64_t now_us = stream->clock_us();
    const uint64_t pause_us = stream->link->is_script ? SCRIPT_GATHER_PAUSE_US : GATHER_PAUSE_US;

    if (length >= GATHER_BELOW || now_us - stream->last_us > pause_us)
        stream->reads = 0;
    else if (stream->reads < GATHER_AFTER)
        stream->reads++;
    stream->last_us = now_us;
}

static uint64_t gather_left_us(const struct output_stream *stream)
{
    const uint64_t gather_us = stream->link->is_script ? SCRIPT_GATHER_US : GATHER_US;
    uint64_t passed_us;

    if (stream->reads < GATHER_AFTER)
        return 0;
    passed_us = stream->clock_us() - stream->last_us;
    return passed_us < gather_us ? gather_us - passed_us : 0;
}

/* Whether there have been so many small pieces that this is not to become one more. */
static bool must_gather(const struct output_stream *stream)
{
    return stream->link->is_script && stream->head_left > 0 && stream->small >= SMALL_MAX &&
           descriptor_pending(*stream->fd) < SMALL_BELOW;
}

static size_t smaller(uint64_t one, size_t other)
{
    return one < other ? (size_t)one : other;
}

/*
 * How many bytes may be read now: none after the maximum, until the program has been killed. What
 * comes after the head needs no room in the link.
 */
static size_t may_read(const struct output_stream *stream)
{
    if (stream->exceeded)
        return 0;
    if (stream->head_left == 0)
        return smaller(stream->left, FRAME_CHUNK);
    return smaller(stream->left,
                   smaller(stream->head_left, frame_link_may_send(stream->link, stream->channel)));
}

/* Reads bytes of the head, and sends them. Returns what read(2) does, as does the next one. */
static ssize_t read_head(struct output_stream *stream, size_t size)
{
    const ssize_t length = read(*stream->fd, frame_link_prepare(stream->link), size);

    if (length <= 0)
        return length;
    frame_link_commit(stream->link, stream->channel, (size_t)length);
    if (stream->link->is_script)
        stream->head_left -= (uint64_t)length;
    if (length < SMALL_BELOW && stream->small < SMALL_MAX)
        stream->small++;
    return length;
}

/* Reads bytes after the head, and keeps the last ones for now. */
static ssize_t read_tail(struct output_stream *stream, size_t size)
{
    const ssize_t length = read(*stream->fd, bytes_after, size);

    if (length <= 0)
        return length;
    stream->beyond += (uint64_t)length;
    tail_buffer_add(&stream->tail, bytes_after, (size_t)length);
    return length;
}

static void pass(void *context, int number)
{
    struct output_stream *stream = context;
    const size_t size = may_read(stream);
    ssize_t length;

    (void)number;
    if (size == 0 || *stream->fd < 0)
        return;
    length = stream->head_left > 0 ? read_head(stream, size) : read_tail(stream, size);
    if (length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR))
        descriptor_close(stream->fd);
    if (length <= 0)
        return;
    stream->written += (uint64_t)length;
    stream->left -= (uint64_t)length;
    note_read(stream, (size_t)length);
    stream->exceeded = stream->written > stream->max;
}

bool output_stream_finish(struct output_stream *stream)
{
    struct tail_buffer *tail = &stream->tail;
    const struct frame_omitted omitted = {
        .bytes = stream->beyond - tail->length,
        .stream = frame_channel_type(stream->channel),
    };
    const char *bytes;
    size_t length;

    if (stream->beyond > tail->length &&
        !frame_link_send(stream->link, FRAME_OMITTED, &omitted, sizeof omitted, NULL, 0))
        return false;
    stream->beyond = tail->length;
    while ((length = tail_buffer_peek(tail, &bytes)) > 0) {
        const size_t part = smaller(length, frame_link_may_send(stream->link, stream->channel));

        if (part == 0)
            return false;
        memcpy(frame_link_prepare(stream->link), bytes, part);
        frame_link_commit(stream->link, stream->channel, part);
        tail_buffer_drop(tail, part);
        stream->beyond -= part;
    }
    return true;
}

void output_stream_watch(struct output_stream *stream, struct loop *loop, bool gathers)
{
    const uint64_t left_us = gathers ? gather_left_us(stream) : 0;

    if (*stream->fd < 0 || may_read(stream) == 0)
        return;
    if (gathers && must_gather(stream))
        loop_limit(loop, SMALL_WAIT_MS);
    else if (left_us > 0)
        loop_limit(loop, (int)((left_us + 999) / 1000));
    else
        loop_add(loop, *stream->fd, POLLIN, pass, stream, 0);
}

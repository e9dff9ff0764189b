#include "supervisor/output_stream.h"

#include <errno.h>
#include <unistd.h>

#include "supervisor/descriptors.h"
#include "supervisor/figures.h"

/*
 * A program that writes byte after byte would cost a frame for each of them, and the engine several
 * times the CPU time that it uses itself. So after that many reads of a few bytes in a row, each is
 * put off for a moment, in which more can gather. Until then, and after a pause, all is sent at
 * once, in the order of the two streams.
 */
enum { GATHER_AFTER = 64, GATHER_BELOW = 4096, GATHER_US = 2000, GATHER_PAUSE_US = 10000 };

void output_stream_init(struct output_stream *stream, struct frame_link *link,
                        enum frame_channel channel, int *fd)
{
    *stream = (struct output_stream){.link = link, .channel = channel, .fd = fd};
}

void output_stream_begin(struct output_stream *stream, uint64_t max)
{
    stream->written = 0;
    stream->max = max;
    stream->left = UINT64_MAX;
    stream->exceeded = false;
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
    const uint64_t now_us = figures_clock_us();

    if (length >= GATHER_BELOW || now_us - stream->last_us > GATHER_PAUSE_US)
        stream->reads = 0;
    else if (stream->reads < GATHER_AFTER)
        stream->reads++;
    stream->last_us = now_us;
}

static uint64_t gather_left_us(const struct output_stream *stream)
{
    uint64_t passed_us;

    if (stream->reads < GATHER_AFTER)
        return 0;
    passed_us = figures_clock_us() - stream->last_us;
    return passed_us < GATHER_US ? GATHER_US - passed_us : 0;
}

/* How many bytes may be passed on now: none after the maximum, until the program has been killed.
 */
static size_t may_pass(const struct output_stream *stream)
{
    const size_t size = stream->exceeded ? 0 : frame_link_may_send(stream->link, stream->channel);

    return size < stream->left ? size : (size_t)stream->left;
}

static void pass(void *context, int number)
{
    struct output_stream *stream = context;
    const size_t size = may_pass(stream);
    ssize_t length;

    (void)number;
    if (size == 0 || *stream->fd < 0)
        return;
    length = read(*stream->fd, frame_link_prepare(stream->link), size);
    if (length == 0 || (length < 0 && errno != EAGAIN && errno != EINTR))
        descriptor_close(stream->fd);
    if (length <= 0)
        return;
    frame_link_commit(stream->link, stream->channel, (size_t)length);
    stream->written += (uint64_t)length;
    stream->left -= (uint64_t)length;
    note_read(stream, (size_t)length);
    stream->exceeded = stream->written > stream->max;
}

void output_stream_watch(struct output_stream *stream, struct loop *loop, bool gathers)
{
    const uint64_t left_us = gathers ? gather_left_us(stream) : 0;

    if (*stream->fd < 0 || may_pass(stream) == 0)
        return;
    if (left_us > 0)
        loop_limit(loop, (int)((left_us + 999) / 1000));
    else
        loop_add(loop, *stream->fd, POLLIN, pass, stream, 0);
}

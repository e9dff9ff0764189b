#include "supervisor/input_stream.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/descriptors.h"

void input_stream_init(struct input_stream *stream, struct connection *connection,
                       enum frame_type type, int *fd)
{
    memset(stream, 0, sizeof *stream);
    stream->connection = connection;
    stream->type = type;
    stream->fd = fd;
}

void input_stream_reset(struct input_stream *stream)
{
    stream->first = stream->filled = stream->taken = 0;
    stream->ended = stream->closed = false;
}

bool input_stream_has_room(const struct input_stream *stream, size_t length)
{
    return length <= FRAME_STDIN_WINDOW - stream->filled - stream->taken;
}

bool input_stream_add(struct input_stream *stream, const char *bytes, size_t length)
{
    if (!input_stream_has_room(stream, length))
        return false;
    if (stream->closed) {
        stream->taken += stream->connection->link.is_script ? 0 : length;
        return true;
    }
    for (size_t done = 0; done < length;) {
        const size_t at = (stream->first + stream->filled) % FRAME_STDIN_WINDOW;
        const size_t room = FRAME_STDIN_WINDOW - at;
        const size_t part = length - done < room ? length - done : room;

        memcpy(stream->bytes + at, bytes + done, part);
        stream->filled += part;
        done += part;
    }
    return true;
}

size_t input_stream_peek(const struct input_stream *stream, const char **bytes)
{
    const size_t until_end = FRAME_STDIN_WINDOW - stream->first;

    *bytes = stream->bytes + stream->first;
    return stream->filled < until_end ? stream->filled : until_end;
}

void input_stream_consume(struct input_stream *stream, size_t length)
{
    struct frame_credit credit = {.stream = stream->type};

    stream->first = (stream->first + length) % FRAME_STDIN_WINDOW;
    stream->filled -= length;
    if (stream->connection->link.is_script)
        return;
    stream->taken += length;
    if (stream->taken < FRAME_STDIN_WINDOW / 2)
        return;
    credit.bytes = (uint32_t)stream->taken;
    stream->taken = 0;
    connection_send(stream->connection, FRAME_CREDIT, &credit, sizeof credit, NULL);
}

void input_stream_close(struct input_stream *stream)
{
    descriptor_close(stream->fd);
    stream->filled = 0;
    stream->closed = true;
}

void input_stream_finish(struct input_stream *stream)
{
    if (stream->ended && stream->filled == 0 && *stream->fd >= 0)
        input_stream_close(stream);
}

void input_stream_write(struct input_stream *stream)
{
    const char *bytes;
    const size_t length = input_stream_peek(stream, &bytes);
    const ssize_t written = length > 0 ? write(*stream->fd, bytes, length) : 0;

    if (written < 0 && errno != EAGAIN && errno != EINTR) {
        input_stream_close(stream);
        if (stream->type == FRAME_STDIN)
            connection_send(stream->connection, FRAME_STDIN_CLOSED, NULL, 0, NULL);
    } else if (written > 0) {
        input_stream_consume(stream, (size_t)written);
    }
}

static void write_bytes(void *context, int number)
{
    (void)number;
    input_stream_write(context);
}

void input_stream_watch(struct input_stream *stream, struct loop *loop)
{
    if (stream->filled > 0)
        loop_add(loop, *stream->fd, POLLOUT, write_bytes, stream, 0);
}

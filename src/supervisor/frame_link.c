#include "supervisor/frame_link.h"
#include "supervisor/frame_header.h"

#include <errno.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

void frame_link_init(struct frame_link *link, int in, int out, const char *key)
{
    memset(link, 0, sizeof *link);
    link->in = in;
    link->out = out;
    link->is_script = link->seals_out = key != NULL;
    if (key)
        sealed_lines_init(&link->out_lines, key);
    for (int i = 0; i < CHANNELS; i++)
        link->credit[i] = key ? UINT64_MAX : FRAME_WINDOW;
}

void frame_link_drop(struct frame_link *link)
{
    link->in = link->out = -1;
    link->dropped = true;
    link->first = link->filled = link->undecoded = 0;
    link->out_first = link->out_filled = link->line_first = link->line_filled = 0;
    for (int i = 0; i < CHANNELS; i++)
        link->credit[i] = UINT64_MAX;
}

bool frame_link_has_room(const struct frame_link *link)
{
    return link->filled + link->undecoded - link->first < sizeof link->input;
}

/*
 * Replaces the lines that are complete by what they carry, which is shorter. False: one is not the
 * next one.
 */
static bool decode_lines(struct frame_link *link)
{
    char *line = (char *)link->input + link->filled;
    const char *end;

    while ((end = memchr(line, '\n', link->undecoded))) {
        unsigned char bytes[SEALED_BYTES_MAX];
        const size_t length = (size_t)(end - line);
        const size_t count = sealed_lines_open(&link->in_lines, line, length, bytes);

        if (count == 0)
            return false;
        memcpy(link->input + link->filled, bytes + SEALED_HEADER, count);
        link->filled += count;
        line += length + 1;
        link->undecoded -= length + 1;
    }
    memmove(link->input + link->filled, line, link->undecoded);
    return link->undecoded < SEALED_LINE_MAX;
}

static bool is_key(const char *key, size_t size)
{
    return key[0] != '\0' && key[size - 1] == '\0';
}

bool frame_link_seal(struct frame_link *link, const struct frame_seal *keys)
{
    if (link->seals_out || frame_link_pending(link) || !is_key(keys->to, sizeof keys->to) ||
        !is_key(keys->from, sizeof keys->from))
        return false;
    sealed_lines_init(&link->in_lines, keys->to);
    sealed_lines_init(&link->out_lines, keys->from);
    link->seals_in = link->seals_out = true;
    link->undecoded = link->filled - link->first;
    link->filled = link->first;
    return decode_lines(link);
}

bool frame_link_read(struct frame_link *link)
{
    ssize_t length;
    size_t used;

    if (link->dropped)
        return true;
    if (link->first > 0) {
        memmove(link->input, link->input + link->first,
                link->filled + link->undecoded - link->first);
        link->filled -= link->first;
        link->first = 0;
    }
    if (!frame_link_has_room(link))
        return true;
    used = link->filled + link->undecoded;
    length = read(link->in, link->input + used, sizeof link->input - used);
    if (length < 0)
        return errno == EAGAIN || errno == EINTR;
    if (link->seals_in) {
        link->undecoded += (size_t)length;
        return length > 0 && decode_lines(link);
    }
    link->filled += (size_t)length;
    if (link->is_script && length == 0)
        link->in_ended = true;
    return length > 0 || link->in_ended;
}

int frame_link_peek(const struct frame_link *link, struct frame *frame)
{
    const unsigned char *header = link->input + link->first;
    const size_t available = link->filled - link->first;
    enum frame_type type;
    long length;

    if (available < FRAME_HEADER)
        return 0;
    length = frame_header_read(header, &type);
    if (length < 0)
        return -1;
    if (available < FRAME_HEADER + (size_t)length)
        return 0;
    *frame = (struct frame){type, (const char *)header + FRAME_HEADER, (size_t)length};
    return 1;
}

int frame_link_next(struct frame_link *link, struct frame *frame)
{
    const int found = frame_link_peek(link, frame);

    if (found > 0)
        link->first += FRAME_HEADER + frame->length;
    return found;
}

bool frame_link_has_rest(const struct frame_link *link)
{
    return link->filled > link->first;
}

/* Makes room for a frame with so many bytes. NULL if there is none now. */
static unsigned char *make_room(struct frame_link *link, size_t length)
{
    if (link->out_first > 0) {
        memmove(link->output, link->output + link->out_first, link->out_filled - link->out_first);
        link->out_filled -= link->out_first;
        link->out_first = 0;
    }
    if (sizeof link->output - link->out_filled < FRAME_HEADER + length)
        return NULL;
    return link->output + link->out_filled;
}

bool frame_link_send(struct frame_link *link, enum frame_type type, const void *fixed,
                     size_t fixed_length, const void *text, size_t text_length)
{
    const size_t length = fixed_length + text_length;
    unsigned char *frame = make_room(link, length);

    if (!frame || link->dropped)
        return link->dropped;
    frame_header_write(frame, type, length);
    if (fixed_length > 0)
        memcpy(frame + FRAME_HEADER, fixed, fixed_length);
    if (text_length > 0)
        memcpy(frame + FRAME_HEADER + fixed_length, text, text_length);
    link->out_filled += FRAME_HEADER + length;
    return true;
}

bool frame_link_grant(struct frame_link *link, uint32_t type, uint32_t bytes)
{
    const enum frame_channel channel = frame_channel_of(type);

    if (channel == CHANNELS)
        return false;
    link->credit[channel] += bytes;
    return true;
}

bool frame_link_has_space(const struct frame_link *link)
{
    return sizeof link->output - link->out_filled + link->out_first >=
           FRAME_HEADER + FRAME_CHUNK + FRAME_LINK_RESERVE;
}

size_t frame_link_may_send(const struct frame_link *link, enum frame_channel channel)
{
    const uint64_t credit = link->credit[channel];

    if (!frame_link_has_space(link))
        return 0;
    return credit < FRAME_CHUNK ? (size_t)credit : FRAME_CHUNK;
}

unsigned char *frame_link_prepare(struct frame_link *link)
{
    return frame_link_has_space(link) ? make_room(link, FRAME_CHUNK) + FRAME_HEADER : NULL;
}

void frame_link_commit(struct frame_link *link, enum frame_channel channel, size_t length)
{
    if (link->dropped)
        return;
    frame_header_write(link->output + link->out_filled, frame_channel_type(channel), length);
    link->out_filled += FRAME_HEADER + length;
    if (!link->is_script)
        link->credit[channel] -= length;
}

bool frame_link_pending(const struct frame_link *link)
{
    return link->out_filled > link->out_first || link->line_filled > link->line_first;
}

/* Writes once. How many bytes; -1: the reader is gone. */
static ssize_t write_bytes(const struct frame_link *link, const void *bytes, size_t length)
{
    const ssize_t written = write(link->out, bytes, length);

    return written < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : written;
}

/* Makes the next line, once the one before it is written. */
static void make_line(struct frame_link *link)
{
    const size_t left = link->out_filled - link->out_first;
    const size_t length = left < SEALED_DATA_MAX ? left : SEALED_DATA_MAX;

    if (link->line_first < link->line_filled || length == 0)
        return;
    link->line_first = 0;
    link->line_filled =
        sealed_lines_write(&link->out_lines, link->output + link->out_first, length, link->line);
    link->out_first += length;
}

bool frame_link_write(struct frame_link *link)
{
    ssize_t written;

    if (link->dropped)
        return true;
    if (link->seals_out) {
        make_line(link);
        written =
            write_bytes(link, link->line + link->line_first, link->line_filled - link->line_first);
        if (written > 0)
            link->line_first += (size_t)written;
    } else {
        written =
            write_bytes(link, link->output + link->out_first, link->out_filled - link->out_first);
        if (written > 0)
            link->out_first += (size_t)written;
    }
    return written >= 0;
}

#include "supervisor/frame_link.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void frame_link_init(struct frame_link *link, int in, int out)
{
    memset(link, 0, sizeof *link);
    link->in = in;
    link->out = out;
    for (int i = 0; i < CHANNELS; i++)
        link->credit[i] = FRAME_WINDOW;
}

bool frame_link_has_room(const struct frame_link *link)
{
    return link->filled - link->first < sizeof link->input;
}

bool frame_link_read(struct frame_link *link)
{
    ssize_t length;

    if (link->first > 0) {
        memmove(link->input, link->input + link->first, link->filled - link->first);
        link->filled -= link->first;
        link->first = 0;
    }
    if (!frame_link_has_room(link))
        return true;
    length = read(link->in, link->input + link->filled, sizeof link->input - link->filled);
    if (length < 0)
        return errno == EAGAIN || errno == EINTR;
    link->filled += (size_t)length;
    return length > 0;
}

int frame_link_next(struct frame_link *link, struct frame *frame)
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
    link->first += FRAME_HEADER + (size_t)length;
    return 1;
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

    if (!frame)
        return false;
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
    frame_header_write(link->output + link->out_filled, frame_channel_type(channel), length);
    link->out_filled += FRAME_HEADER + length;
    link->credit[channel] -= length;
}

bool frame_link_pending(const struct frame_link *link)
{
    return link->out_filled > link->out_first;
}

bool frame_link_write(struct frame_link *link)
{
    const ssize_t written =
        write(link->out, link->output + link->out_first, link->out_filled - link->out_first);

    if (written < 0)
        return errno == EAGAIN || errno == EINTR;
    link->out_first += (size_t)written;
    return true;
}

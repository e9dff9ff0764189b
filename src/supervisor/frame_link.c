#include "supervisor/frame_link.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

void frame_link_init(struct frame_link *link, int in, int out)
{
    memset(link, 0, sizeof *link);
    link->in = in;
    link->out = out;
}

bool frame_link_read(struct frame_link *link)
{
    ssize_t length;

    if (link->first > 0) {
        memmove(link->input, link->input + link->first, link->filled - link->first);
        link->filled -= link->first;
        link->first = 0;
    }
    length = read(link->in, link->input + link->filled, sizeof link->input - link->filled);
    if (length < 0)
        return errno == EAGAIN || errno == EINTR;
    link->filled += (size_t)length;
    return length > 0;
}

static uint32_t number_at(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

int frame_link_next(struct frame_link *link, struct frame *frame)
{
    const unsigned char *header = link->input + link->first;
    const size_t available = link->filled - link->first;
    uint32_t length;

    if (available < FRAME_HEADER)
        return 0;
    length = number_at(header);
    if (length > FRAME_PAYLOAD_MAX || header[5] != 0 || header[6] != 0 || header[7] != 0)
        return -1;
    if (available < FRAME_HEADER + length)
        return 0;
    *frame =
        (struct frame){(enum frame_type)header[4], (const char *)header + FRAME_HEADER, length};
    link->first += FRAME_HEADER + length;
    return 1;
}

/* Makes room for so many bytes, beside the reserve. NULL if there is none now. */
static unsigned char *make_room(struct frame_link *link, size_t length, size_t reserve)
{
    if (link->out_first > 0) {
        memmove(link->output, link->output + link->out_first, link->out_filled - link->out_first);
        link->out_filled -= link->out_first;
        link->out_first = 0;
    }
    if (sizeof link->output - link->out_filled < FRAME_HEADER + length + reserve)
        return NULL;
    return link->output + link->out_filled;
}

static void put_header(unsigned char *header, enum frame_type type, size_t length)
{
    for (int i = 0; i < 4; i++)
        header[i] = (unsigned char)(length >> 8 * i);
    header[4] = (unsigned char)type;
    header[5] = header[6] = header[7] = 0;
}

bool frame_link_send(struct frame_link *link, enum frame_type type, const void *fixed,
                     size_t fixed_length, const void *text, size_t text_length)
{
    const size_t length = fixed_length + text_length;
    unsigned char *frame = make_room(link, length, 0);

    if (!frame)
        return false;
    put_header(frame, type, length);
    if (fixed_length > 0)
        memcpy(frame + FRAME_HEADER, fixed, fixed_length);
    if (text_length > 0)
        memcpy(frame + FRAME_HEADER + fixed_length, text, text_length);
    link->out_filled += FRAME_HEADER + length;
    return true;
}

unsigned char *frame_link_prepare(struct frame_link *link)
{
    unsigned char *frame = make_room(link, FRAME_CHUNK, FRAME_LINK_RESERVE);

    return frame ? frame + FRAME_HEADER : NULL;
}

void frame_link_commit(struct frame_link *link, enum frame_type type, size_t length)
{
    put_header(link->output + link->out_filled, type, length);
    link->out_filled += FRAME_HEADER + length;
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

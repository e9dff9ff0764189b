#include "supervisor/relay/relay_link.h"

#include <errno.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

/* Room that only small messages use: of each connection OPEN, END, CLOSE and two of CREDIT. */
enum { RESERVE = 48 * MUX_SLOTS_MAX };

static size_t room(struct relay_link *link)
{
    if (link->out_first > 0) {
        memmove(link->output, link->output + link->out_first, link->out_filled - link->out_first);
        link->out_filled -= link->out_first;
        link->out_first = 0;
    }
    return sizeof link->output - link->out_filled;
}

bool relay_link_has_room(struct relay_link *link)
{
    return room(link) >= MUX_HEADER + MUX_DATA_MAX + RESERVE;
}

unsigned char *relay_link_payload(struct relay_link *link)
{
    return link->output + link->out_filled + MUX_HEADER;
}

void relay_link_commit(struct relay_link *link, unsigned slot, enum mux_type type, size_t length)
{
    mux_write(link->output + link->out_filled, slot, type, length);
    link->out_filled += MUX_HEADER + length;
}

void relay_link_send(struct relay_link *link, unsigned slot, enum mux_type type, uint32_t number)
{
    const bool numbered = type == MUX_CREDIT || type == MUX_FAILED;

    if (room(link) < MUX_HEADER + 4)
        _exit(1);
    if (numbered)
        mux_write_number(relay_link_payload(link), number);
    relay_link_commit(link, slot, type, numbered ? 4 : 0);
}

bool relay_link_pending(const struct relay_link *link)
{
    return link->out_filled > link->out_first;
}

void relay_link_write(struct relay_link *link)
{
    const ssize_t written =
        write(link->out, link->output + link->out_first, link->out_filled - link->out_first);

    if (written > 0)
        link->out_first += (size_t)written;
    else if (written < 0 && errno != EAGAIN && errno != EINTR)
        _exit(0);
}

void relay_link_read(struct relay_link *link, relay_link_take *take, void *context)
{
    const ssize_t length =
        read(link->in, link->input + link->in_filled, sizeof link->input - link->in_filled);
    size_t done = 0;

    if (length < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (length <= 0)
        _exit(0);
    link->in_filled += (size_t)length;
    while (link->in_filled - done >= MUX_HEADER) {
        struct mux_message message;

        if (!mux_read(link->input + done, &message))
            _exit(1);
        if (link->in_filled - done < MUX_HEADER + message.length)
            break;
        take(context, &message, link->input + done + MUX_HEADER);
        done += MUX_HEADER + message.length;
    }
    memmove(link->input, link->input + done, link->in_filled - done);
    link->in_filled -= done;
}

/*
 * The relay's end of its pipes: messages for isolator that wait to be written, and those that come
 * (base/mux.h). Knows no sockets. What must not happen ends this process.
 */
#ifndef SUPERVISOR_RELAY_LINK_H
#define SUPERVISOR_RELAY_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mux.h"

enum { RELAY_OUTPUT_BYTES = 65536 };

struct relay_link {
    int in, out; /* pipes, non-blocking; borrowed */
    unsigned char input[2 * (MUX_HEADER + MUX_DATA_MAX)];
    size_t in_filled;
    unsigned char output[RELAY_OUTPUT_BYTES];
    size_t out_first, out_filled;
};

/* Whether there is room for a message with bytes, and the small ones that may have to follow. */
bool relay_link_has_room(struct relay_link *link);

/* If there is room: where the payload of the next message goes, and the message itself. */
unsigned char *relay_link_payload(struct relay_link *link);
void relay_link_commit(struct relay_link *link, unsigned slot, enum mux_type type, size_t length);

/* A message without bytes of a connection. There is room for those of all connections. */
void relay_link_send(struct relay_link *link, unsigned slot, enum mux_type type, uint32_t number);

/* Whether there are bytes to write; and writes once. */
bool relay_link_pending(const struct relay_link *link);
void relay_link_write(struct relay_link *link);

/* Reads once, and hands over the messages that are complete. The end of the input ends this
 * process. */
typedef void relay_link_take(void *context, const struct mux_message *message,
                             const unsigned char *payload);
void relay_link_read(struct relay_link *link, relay_link_take *take, void *context);

#endif

/*
 * The packets that isolator-tls sends, as they come from its socket (network/terminator_wire.h).
 * Knows nothing of what they mean.
 */
#ifndef NETWORK_TERMINATOR_PACKET_H
#define NETWORK_TERMINATOR_PACKET_H

#include "network/terminator_wire.h"

struct terminator_packet {
    struct terminator_message message;
    char text[TERMINATOR_REPORT_MAX - sizeof(struct terminator_message) + 2]; /* with two NULs */
    int fd; /* the receiver's; -1: none */
};

/*
 * Receives one without waiting. 1; 0: none is there now; -1: isolator-tls has ended, or has sent
 * what is no packet of its own.
 */
int terminator_packet_receive(int fd, struct terminator_packet *packet);

#endif

/*
 * What isolator and the program isolator-tls (src/tls) say to each other, over a pair of sockets of
 * the type SOCK_SEQPACKET, so that each packet is a message. isolator-tls has its end as standard
 * input, and ends when the other one is closed.
 *
 *     message    from          descriptors               text
 *     READY      isolator-tls  the certificates: a file  none
 *     FAILED     isolator-tls  none                      why it cannot work; it ends
 *     OPEN       isolator      the program, the host     the host, then the name and the value of
 *                                                        each field that it gets, each with a NUL
 *     GIVEN_UP   isolator-tls  none                      the host, a NUL, and why
 *
 * READY or FAILED is the first message, and comes once. The file has the certificates, in PEM, of
 * this host's store and of the authority that isolator-tls has made, whose key never leaves it; its
 * offset is 0.
 *
 * OPEN begins a connection: two sockets of streams, over which TLS is spoken. The program has the
 * first one, as a client of the host, and begins with its ClientHello. The second one is connected
 * to the host, which gets nothing before its certificate was found to be good. GIVEN_UP says why
 * the connection ends, if it does not end as the program or the host has ended it: the status is
 * one of HTTP, 403 if the rules refuse what the program has asked for. It comes at most once per
 * connection, and not if isolator does not read.
 */
#ifndef NETWORK_TERMINATOR_WIRE_H
#define NETWORK_TERMINATOR_WIRE_H

#include <stdint.h>

enum terminator_type {
    TERMINATOR_READY = 1,
    TERMINATOR_FAILED,
    TERMINATOR_OPEN,
    TERMINATOR_GIVEN_UP
};

/* The start of each message; its text follows. */
struct terminator_message {
    uint32_t type;   /* enum terminator_type */
    uint16_t port;   /* of OPEN and GIVEN_UP */
    uint16_t status; /* of GIVEN_UP */
    uint64_t number; /* of the connection, which isolator chooses */
};

/* Bytes of the longest message, with its start, and its descriptors. */
enum { TERMINATOR_PACKET_MAX = 65536, TERMINATOR_FDS = 2 };

#endif

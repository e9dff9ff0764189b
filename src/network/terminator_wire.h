/*
 * What isolator and the program isolator-tls (src/tls) say to each other, over a pair of sockets of
 * the type SOCK_SEQPACKET, so that each packet is a message. isolator-tls has its end as standard
 * input, and ends when the other one is closed.
 *
 *     message    from          descriptors               text
 *     READY      isolator-tls  the certificates: a file  none
 *     FAILED     isolator-tls  none                      why it cannot work; it ends
 *     OPEN       isolator      the program, the host     the host, then name and value of each
 *                                                        field; each ends with a NUL
 *     GIVEN_UP   isolator-tls  none                      the host, a NUL, and why
 *
 * READY or FAILED is the first message, and comes once; the number of READY is TERMINATOR_VERSION,
 * so that isolator notices an isolator-tls of another release that it does not understand. The file
 * has the certificates, in PEM, of this host's store and of the authority that isolator-tls has
 * made, whose key never leaves it; its offset is 0.
 *
 * OPEN begins a connection with two stream sockets. The program is at the first: isolator-tls is
 * its TLS server. The host is at the second: it gets no request before its certificate is verified.
 * GIVEN_UP says why isolator-tls itself ends a connection, at most once for each: `status` is one
 * of HTTP; 403 means that the rules refuse the request. No message comes if the program or the host
 * ends it, or if isolator does not read.
 *
 * FAILED and the reason have no final NUL; numbers are in the byte order of the machine.
 */
#ifndef NETWORK_TERMINATOR_WIRE_H
#define NETWORK_TERMINATOR_WIRE_H

#include <stdint.h>

#include "base/host_name.h"

/*
 * Changes with every change of the messages, other than that of READY's first fields, which stay as
 * they are. A READY without a version has 0.
 */
enum { TERMINATOR_VERSION = 1 };

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
    uint64_t number; /* of the connection, which isolator chooses; of READY the version */
};

/* Bytes of the longest message, with its start, and its descriptors. */
enum { TERMINATOR_PACKET_MAX = 65536, TERMINATOR_FDS = 2 };

/* Bytes of the text of FAILED and of a reason; and of the longest message of isolator-tls. */
enum {
    TERMINATOR_REASON_MAX = 2000,
    TERMINATOR_REPORT_MAX =
        sizeof(struct terminator_message) + HOST_NAME_SIZE + TERMINATOR_REASON_MAX
};

#endif

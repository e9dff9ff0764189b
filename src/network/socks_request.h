/*
 * What a program sends to its proxy if it speaks SOCKS 5 (RFC 1928): a greeting, and then a
 * request: CONNECT to a name or an address. What comes is hostile. Knows no sockets and no rules.
 */
#ifndef NETWORK_SOCKS_REQUEST_H
#define NETWORK_SOCKS_REQUEST_H

#include <stddef.h>

#include "base/host_name.h"

/* The first byte of both, with which no request of HTTP begins. */
enum { SOCKS_VERSION = 5 };

/* The replies to a greeting, and to a request (RFC 1928, 6). */
enum { SOCKS_NO_PASSWORD = 0, SOCKS_NO_METHOD = 0xff };
enum socks_reply {
    SOCKS_GRANTED = 0,
    SOCKS_FAILURE = 1,
    SOCKS_NOT_ALLOWED = 2,
    SOCKS_HOST_UNREACHABLE = 4,
    SOCKS_NO_COMMAND = 7
};

enum socks_result { SOCKS_INCOMPLETE, SOCKS_GOOD, SOCKS_REFUSED };

struct socks_request {
    char host[HOST_NAME_SIZE]; /* a name of host_name_read() */
    unsigned short port;
    size_t length;       /* bytes that it takes of what has come */
    int status;          /* of SOCKS_REFUSED: the status of HTTP for that: 400, 501 */
    const char *problem; /* of SOCKS_REFUSED: a static text */
};

/* SOCKS_GOOD: it has `taken` bytes, and needs no password. SOCKS_REFUSED: it needs one. */
enum socks_result socks_read_greeting(const char *bytes, size_t length, size_t *taken);

enum socks_result socks_read_request(const char *bytes, size_t length,
                                     struct socks_request *request);

/* Writes a reply to a request. It names no address, which clients do not need. */
enum { SOCKS_REPLY_SIZE = 10 };
void socks_write_reply(unsigned char reply[SOCKS_REPLY_SIZE], enum socks_reply code);

#endif

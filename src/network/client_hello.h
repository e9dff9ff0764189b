/*
 * The first message of TLS, which names the server (RFC 8446, 4.1.2; RFC 6066, 3). Only the name is
 * read, of a ClientHello that may come in several records. Knows no sockets and no rules.
 */
#ifndef NETWORK_CLIENT_HELLO_H
#define NETWORK_CLIENT_HELLO_H

#include <stddef.h>

#include "base/host_name.h"

/* The longest ClientHello, with the headers of its records. */
enum { CLIENT_HELLO_MAX = 65536 };

enum client_hello {
    CLIENT_HELLO_INCOMPLETE, /* more bytes are needed */
    CLIENT_HELLO_NAMED,      /* `name` is a name of host_name_read() */
    CLIENT_HELLO_NAMELESS,   /* it names no server */
    CLIENT_HELLO_WRONG       /* these bytes are no ClientHello, or its name is none */
};

/* Reads what has come so far. Everything that it says is in the first CLIENT_HELLO_MAX bytes. */
enum client_hello client_hello_read(const unsigned char *bytes, size_t length,
                                    char name[HOST_NAME_SIZE]);

#endif

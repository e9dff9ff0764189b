/*
 * The socket to isolator: reads and writes the messages of network/terminator_wire.h. isolator is
 * trusted, but what it sends is checked all the same.
 */
#ifndef TLS_ISOLATOR_LINK_H
#define TLS_ISOLATOR_LINK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "network/http_request.h"
#include "network/terminator_wire.h"

/* The fields that a connection gets. */
enum { LINK_FIELDS_MAX = 16 };

/* A message OPEN: the order to begin a connection. */
struct link_order {
    uint64_t number;
    int program, host;         /* descriptors; owned; -1: none */
    char *text;                /* owned; the rest is borrowed from it; it has secrets */
    size_t text_length;        /* with its last NUL */
    struct http_tunnel tunnel; /* its fields are those below */
    struct http_field fields[LINK_FIELDS_MAX];
};

/* Whether this descriptor is a socket on which packets come whole. */
bool link_is_valid(int fd);

enum link_result {
    LINK_NOTHING, /* no message has come */
    LINK_OPENED,
    LINK_REFUSED, /* the system has refused its descriptors; there are none, or not all */
    LINK_ENDED,   /* isolator has closed its end */
    LINK_WRONG    /* `problem` says what is wrong with a message: a static text */
};

/* Reads a message, if there is one, into a new struct, if it is opened or refused. The caller frees
 * it. */
enum link_result link_read(int fd, struct link_order **opened, const char **problem);

/* Closes its descriptors, wipes its text and frees it. NULL is ignored. */
void link_order_free(struct link_order *order);

/*
 * Sends READY with the version and a descriptor. Waits while isolator reads nothing. Returns 0; -1,
 * errno: isolator has ended.
 */
int link_send_ready(int fd, int certificates);

/* Sends FAILED. Waits while isolator reads nothing. The reason is cut to TERMINATOR_REASON_MAX. */
void link_send_failed(int fd, const char *why);

/* Sends GIVEN_UP of a connection. Does nothing if isolator does not read. The reason is cut too. */
void link_send_given_up(int fd, const struct link_order *order, int status, const char *why);

#endif

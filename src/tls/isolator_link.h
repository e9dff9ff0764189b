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

/* The fields that a connection gets; and the bytes of the longest text that isolator is told. */
enum { LINK_FIELDS_MAX = 16, LINK_TEXT_MAX = 2000 };

/* A message OPEN. */
struct link_open {
    uint64_t number;
    int program, host;        /* descriptors; owned; -1: none */
    char *text;               /* owned; the rest is borrowed from it; it has secrets */
    size_t text_length;       /* with its last NUL */
    struct http_inner tunnel; /* its fields are those below */
    struct http_field fields[LINK_FIELDS_MAX];
};

/* Whether this descriptor is a socket on which packets come whole. */
bool link_is_valid(int fd);

enum link_result {
    LINK_NOTHING, /* no message has come */
    LINK_OPENED,
    LINK_ENDED, /* isolator has closed its end */
    LINK_WRONG  /* `problem` says what is wrong with a message: a static text */
};

/* Reads a message, if there is one, into a new struct. The caller frees it. */
enum link_result link_read(int fd, struct link_open **open, const char **problem);

/* Closes its descriptors, wipes its text and frees it. NULL is ignored. */
void link_open_free(struct link_open *open);

/*
 * Sends a message: the host, unless that is NULL, and a text, which is cut to LINK_TEXT_MAX bytes;
 * with a descriptor unless that is -1. Waits while isolator reads nothing. Returns 0, or -1 with
 * errno.
 */
int link_send(int fd, const struct terminator_message *message, const char *host, const char *text,
              int passed);

#endif

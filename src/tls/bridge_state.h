/*
 * How a connection works, in four files, each of which calls only those after it: tls/bridge.c
 * (what it waits for), tls/bridge_begin.c (from the handshakes to the request),
 * tls/bridge_pass.c (bytes in both directions) and tls/bridge_end.c. It goes through its states in
 * one direction:
 *
 *     BEGINNING -- TLS on both sides, a good request --> OPEN -- the response ends --> ENDING
 *         |                                               |                              |
 *         +--------- something is wrong --> REPLYING <----+       REPLYING --> ENDING --> CLOSED
 *
 * Both handshakes run side by side, and the head of the request is read meanwhile. In each
 * direction there is one buffer, and nothing is read before it is empty. In REPLYING the host is
 * gone, and the response is isolator's own. In ENDING all is sent, and what the program still sends
 * is dropped for a while: closing a socket that has unread bytes can take the response away.
 *
 * The fields of isolator are in `order`, and in `head` once the request is complete. The head is
 * sent after the certificate of the host was verified. Both are wiped then, and if it is not sent.
 */
#ifndef TLS_BRIDGE_STATE_H
#define TLS_BRIDGE_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "network/http_request.h"
#include "network/http_response.h"
#include "tls/bridge.h"
#include "tls/side.h"

/* The bytes that are read at once. */
enum { BRIDGE_READ_MAX = 16384 };

enum bridge_state { BRIDGE_BEGINNING, BRIDGE_OPEN, BRIDGE_REPLYING, BRIDGE_ENDING, BRIDGE_CLOSED };

struct bridge {
    const struct bridge_context *context;
    unsigned slot;
    enum bridge_state state;
    struct link_order *order; /* owned */
    struct side program, host;
    bool wants_other; /* the program offers other protocols than HTTP/1.1 */
    /* By clock_now_ms(); 0: none. The program's is also that of REPLYING and ENDING. */
    long long program_deadline, host_deadline;
    struct strbuf incoming; /* the head, as it comes */
    bool has_request;       /* it is complete */
    struct http_request request;
    struct http_body_reader body;
    struct http_response response;
    struct strbuf head;                     /* for the host, with the fields of isolator */
    struct strbuf from_program, to_program; /* bytes that were not passed on yet */
    bool program_ended;                     /* the program sends no more */
    bool host_ended;                        /* so does the host */
    bool is_cut;       /* the host has ended without close_notify: so does the response */
    bool host_is_deaf; /* the host takes no more; the rest of the request is dropped */
    bool has_response; /* bytes of the host were passed on */
    bool has_given_up; /* isolator was told so */
    bool is_busy;      /* there is more to do at once */
};

/* ---- bridge_begin.c */

/* Goes on with the handshakes and the head, or with the handshake before a reply. */
void bridge_begin(struct bridge *bridge);

/* ---- bridge_pass.c */

/* Passes bytes on, until the response has ended. */
void bridge_pass(struct bridge *bridge);

/*
 * Takes bytes that follow the head. Those that follow the body are dropped. False: they are no
 * chunks, and the connection was given up.
 */
bool bridge_take_body(struct bridge *bridge, const char *bytes, size_t length);

/* ---- bridge_end.c */

/*
 * Tells isolator why the connection ends, and the program too, if that is still possible. Takes the
 * reason: ASCII without controls.
 */
void bridge_give_up(struct bridge *bridge, int status, char *reason);

/* Wipes the fields of isolator. */
void bridge_wipe(struct bridge *bridge);

/* All is sent that the program gets. */
void bridge_end(struct bridge *bridge);

/* Drops what the program still sends. */
void bridge_drain(struct bridge *bridge);

/* Closes everything. */
void bridge_close(struct bridge *bridge);

#endif

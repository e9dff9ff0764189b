/*
 * How a connection works, in four files, each of which calls only those after it:
 * network/connection.c (what it waits for, and what the relay says), network/connection_begin.c
 * (from the request to the host), network/connection_pass.c (bytes in both directions) and
 * network/connection_end.c. It goes through its states in one direction:
 *
 *     HEAD -- the request is good --> LOOKUP --> DIAL --> HELLO, of a tunnel --> OPEN --> CLOSED
 *
 * What the program sends stays in `from_program` until it is dealt with, and only then is as much
 * granted again: at most MUX_WINDOW bytes. What the host sends is put into a message at once, if
 * there is credit and room. The name is judged before it is looked up, the addresses before they
 * are dialled, and what was judged is what is dialled.
 */
#ifndef NETWORK_CONNECTION_STATE_H
#define NETWORK_CONNECTION_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/mux.h"
#include "base/strbuf.h"
#include "network/connection.h"
#include "network/dial.h"
#include "network/http_request.h"
#include "network/http_response.h"
#include "network/lookup.h"
#include "network/socks_request.h"

/* How long the program has for the head of its request and its ClientHello, and the host to be
 * looked up and to answer. */
enum { CONNECTION_PROGRAM_MS = 30000, CONNECTION_HOST_MS = 15000 };

/* When to try again if the terminator is busy. */
enum { CONNECTION_RETRY_MS = 5 };

enum connection_state {
    CONNECTION_HEAD,
    CONNECTION_LOOKUP,
    CONNECTION_DIAL,
    CONNECTION_HELLO,
    CONNECTION_OPEN,
    CONNECTION_CLOSED
};

struct connection {
    const struct connection_context *context;
    unsigned slot;
    enum connection_state state;
    long long start;            /* clock_now_ms() */
    long long deadline;         /* of the state; 0: none */
    long long retry_at;         /* when to ask the terminator again; 0: it is not asked */
    struct strbuf from_program; /* bytes that are not dealt with */
    uint32_t granted;           /* bytes that the program may still send */
    uint32_t consumed;          /* and that it may send again, but was not told yet */
    uint32_t credit;            /* bytes that the relay takes */
    bool program_ended, host_ended, sent_close;
    struct http_request request; /* or one of SOCKS, of which it has the tunnel, host and port */
    bool is_socks;               /* the program has greeted as one that speaks SOCKS does */
    struct http_body_reader body;
    struct http_response response;
    struct strbuf head; /* of the request, for the host; what is not sent yet */
    const struct network_host *rule;
    struct lookup *lookup;
    struct dial dial;
    int fd;           /* to the host, or to the terminator; owned; -1: none */
    uint32_t watched; /* events that epoll waits for; 0: it does not have the descriptor */
    bool is_blocked;  /* the host takes nothing more now */
    int entry;        /* in the log */
};

/* ---- connection_begin.c */

/* Goes on from the request to the host, as far as that is possible now. */
void connection_begin(struct connection *connection);

/* ---- connection_pass.c */

/* Passes bytes on, and ends the connection when both sides have ended it. */
void connection_pass(struct connection *connection);

/* ---- connection_end.c */

/* Sends a message to the relay. */
void connection_send(struct connection *connection, enum mux_type type, const void *payload,
                     size_t length);

/* Sends what isolator says itself: it is short, and the first that is sent. */
void connection_reply(struct connection *connection, const void *bytes, size_t length);

/* So many bytes of the program were consumed: grants them again, once they are many. */
void connection_consume(struct connection *connection, size_t length);

/* Forgets the lookup, if there is one. Its thread may go on. */
void connection_end_lookup(struct connection *connection);

/* Ends everything but the bytes that the relay has already. */
void connection_end_host(struct connection *connection);

/* Notes how it has begun, or why it ends: connection_log(). */
int connection_note(const struct connection *connection, enum network_outcome outcome,
                    const char *reason);

/* Tells the program and the log why the connection ends: in ASCII, without controls. Takes it. */
void connection_give_up(struct connection *connection, int status, char *reason);

/* Whether the request may carry more bytes. */
bool connection_has_budget(const struct connection *connection);

/* Ends the connection because the request may carry no more. */
void connection_give_up_budget(struct connection *connection);

#endif

/*
 * Requests subscriptions/listen (2026-07-28, basic/patterns/subscriptions). The server offers nothing to
 * subscribe to, so that the streams are acknowledged and then stay empty until the client cancels them
 * or the server ends.
 */
#ifndef MCP_SUBSCRIPTIONS_H
#define MCP_SUBSCRIPTIONS_H

#include <jansson.h>

#include "mcp/responder.h"
#include "mcp/writer.h"

struct subscriptions {
    json_t *ids; /* owned; an array of the ids of open requests */
};

void subscriptions_init(struct subscriptions *subscriptions);

/* Acknowledges the request and keeps it open; the reply is used up. */
void subscriptions_open(struct subscriptions *subscriptions, struct responder *responder);

/* Ends the subscription of this id, if there is one, without a word. */
void subscriptions_close(struct subscriptions *subscriptions, const json_t *id);

/* Answers all that are open: the server ends. */
void subscriptions_end(struct subscriptions *subscriptions, struct writer *writer);

void subscriptions_release(struct subscriptions *subscriptions);

#endif

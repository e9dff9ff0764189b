/*
 * Open requests of subscriptions/listen (2026-07-28, basic/patterns/subscriptions). The server has
 * nothing to subscribe to: it acknowledges a request and sends nothing more until the client
 * cancels it or the server ends.
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

/* Acknowledges the request and keeps it open. Uses the responder. */
void subscriptions_open(struct subscriptions *subscriptions, struct responder *responder);

/* Cancels the subscription with this id, if there is one, without a response. */
void subscriptions_close(struct subscriptions *subscriptions, const json_t *id);

/* Sends the responses to all open requests, because the server shuts down. */
void subscriptions_end(struct subscriptions *subscriptions, struct writer *writer);

void subscriptions_release(struct subscriptions *subscriptions);

#endif

/*
 * The state of the connection to a client that messages are answered from: what the methods
 * (mcp/methods.h) read and change. How long it lasts is the server's matter (mcp/server.c).
 */
#ifndef MCP_CONNECTION_H
#define MCP_CONNECTION_H

#include <jansson.h>
#include <stddef.h>

#include "config/config.h"
#include "mcp/calls.h"
#include "mcp/responder.h"
#include "mcp/result_store.h"
#include "mcp/revision.h"
#include "mcp/subscriptions.h"
#include "mcp/writer.h"
#include "service/service.h"

/* A batch of which not all messages were dispatched. */
struct pending_batch {
    json_t *messages;        /* owned; NULL: there is no such batch */
    size_t next;             /* the first that was not */
    size_t size;             /* bytes of the line it came in */
    struct batch *responses; /* owned */
};

struct connection {
    const struct config *config; /* borrowed */
    struct writer writer;
    struct result_store store;
    struct service service;
    struct calls calls;
    struct subscriptions subscriptions;
    struct pending_batch pending;
    const struct revision *legacy; /* what initialize agreed on; before it the newest */
};

#endif

/*
 * The state of the connection to a client, which the methods (mcp/methods.h) read and change.
 * mcp/server.c creates and releases it.
 */
#ifndef MCP_CONNECTION_H
#define MCP_CONNECTION_H

#include <jansson.h>
#include <stddef.h>

#include "config/config.h"
#include "mcp/calls.h"
#include "mcp/job_calls.h"
#include "mcp/questions.h"
#include "mcp/responder.h"
#include "mcp/result_store.h"
#include "mcp/revision.h"
#include "mcp/subscriptions.h"
#include "mcp/tool_list.h"
#include "mcp/tool_search.h"
#include "mcp/writer.h"
#include "service/service.h"

/* The batch whose messages are being dispatched. */
struct pending_batch {
    json_t *messages;        /* owned; NULL: there is no such batch */
    size_t next;             /* index of the next message to dispatch */
    size_t size;             /* bytes of its line */
    struct batch *responses; /* owned */
};

struct connection {
    const struct config *config; /* borrowed */
    struct writer writer;
    struct result_store store;
    struct service service;
    struct calls calls;
    struct job_calls jobs;
    struct questions questions;
    struct tool_list tools;
    struct tool_searches searches;
    struct strvec tool_servers; /* names of those whose tools programs may call */
    struct subscriptions subscriptions;
    struct pending_batch pending;
    const struct revision *legacy;     /* that initialize negotiated; before that the newest */
    const struct known_client *client; /* that initialize named; NULL: none that is known */
};

#endif

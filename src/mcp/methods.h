/*
 * The methods of the server.
 */
#ifndef MCP_METHODS_H
#define MCP_METHODS_H

#include <jansson.h>

#include "mcp/connection.h"
#include "mcp/responder.h"

/* A request, for the function that handles it. */
struct request_context {
    struct connection *connection;
    json_t *params;             /* borrowed; an object, or NULL */
    const json_t *capabilities; /* of the client, borrowed; NULL unless the revision is modern */
    struct responder *responder;
};

enum era { ERA_LEGACY = 1, ERA_MODERN = 2, ERA_BOTH = ERA_LEGACY | ERA_MODERN };

enum { METHOD_NO_TTL = -1 };

struct method {
    const char *name;
    enum era eras;
    /*
     * Returns the result, a new reference. NULL if the responder was used: for an error, or for a
     * response that comes later.
     */
    json_t *(*handle)(struct request_context *context);
    int ttl_ms; /* how long a client may keep the result (2026-07-28, server/utilities/caching) */
};

/* The method of this name, borrowed, or NULL. */
const struct method *method_find(const char *name);

/* The names of all modern revisions, as an array, a new reference. */
json_t *method_modern_versions(void);

#endif

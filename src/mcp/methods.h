/*
 * The methods that the server has: what each does with its params.
 */
#ifndef MCP_METHODS_H
#define MCP_METHODS_H

#include <jansson.h>

#include "mcp/responder.h"
#include "mcp/server.h"

/* One request on its way through a handler. */
struct exchange {
    struct server *server;
    json_t *params; /* borrowed; an object, or NULL */
    struct responder *responder;
};

enum era { ERA_LEGACY = 1, ERA_MODERN = 2, ERA_BOTH = ERA_LEGACY | ERA_MODERN };

enum { METHOD_NO_TTL = -1 };

struct method {
    const char *name;
    enum era eras;
    /*
     * Returns the result, a new reference. NULL: the reply is used up, since the request is answered
     * or will be.
     */
    json_t *(*handle)(struct exchange *exchange);
    int ttl_ms; /* how long a client may keep the result (2026-07-28, server/utilities/caching) */
};

/* The method of this name, borrowed, or NULL. */
const struct method *method_find(const char *name);

/* {"2026-07-28", ...}: the revisions that need no initialize, a new reference. */
json_t *method_modern_versions(void);

#endif

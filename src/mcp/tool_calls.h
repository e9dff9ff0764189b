/*
 * The method tools/call: reads the arguments of each tool and hands the call over to what runs it.
 */
#ifndef MCP_TOOL_CALLS_H
#define MCP_TOOL_CALLS_H

#include <jansson.h>

#include "mcp/methods.h"

/* As struct method says. */
json_t *tool_calls_handle(struct request_context *context);

#endif

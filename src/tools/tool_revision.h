/*
 * The revisions of MCP that are spoken with programs and with the servers whose tools they call.
 * All have tools/list and tools/call of the same form. isolator-mcp has its own list, with what
 * differs between them (mcp/revision.h).
 */
#ifndef TOOLS_TOOL_REVISION_H
#define TOOLS_TOOL_REVISION_H

#include <stdbool.h>

#define TOOL_REVISION_NEWEST "2025-11-25"
#define TOOL_REVISION_OLDEST "2024-11-05"

/*
 * A server may also speak this one, in which there is no `initialize` and each request has metadata
 * (2026-07-28, basic/versioning).
 */
#define TOOL_REVISION_MODERN "2026-07-28"
#define TOOL_REVISION_META                                                                         \
    "{\"io.modelcontextprotocol/protocolVersion\":\"" TOOL_REVISION_MODERN                         \
    "\",\"io.modelcontextprotocol/clientCapabilities\":{},"                                        \
    "\"io.modelcontextprotocol/"                                                                   \
    "clientInfo\":{\"name\":\"isolator\",\"version\":\"" ISOLATOR_VERSION "\"}}"

/* Whether this is one of those with `initialize`. NULL is none. */
bool tool_revision_is_known(const char *name);

#endif

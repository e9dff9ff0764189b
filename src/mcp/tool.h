/*
 * What the client is told of the tool execute_code and of the server: the definition in
 * execute_code.json, filled in from the configuration.
 */
#ifndef MCP_TOOL_H
#define MCP_TOOL_H

#include <jansson.h>

#include "config/config.h"
#include "mcp/revision.h"

extern const char TOOL_NAME[];

/* Seconds that a program gets where no configuration names a timeout: most hosts give up after 60. */
enum { TOOL_TIMEOUT = 45 };

/* The tool as tools/list shows it to clients of the revision; a new reference. */
json_t *tool_definition(const struct config *config, const struct revision *revision);

/*
 * The instructions for models, in a few lines; owned by the caller. Hosts cut them at 2 kB, so that the
 * rules come first.
 */
char *tool_instructions(const struct config *config);

#endif

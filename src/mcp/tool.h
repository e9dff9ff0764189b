/*
 * The definition of the tool execute_code and the instructions of the server: execute_code.json,
 * completed from the configuration.
 */
#ifndef MCP_TOOL_H
#define MCP_TOOL_H

#include <jansson.h>

#include "config/config.h"
#include "mcp/revision.h"

extern const char TOOL_NAME[];

/* The timeout in seconds if the configuration names none: most hosts give up after 60 s. */
enum { TOOL_TIMEOUT = 45 };

/* The tool as tools/list returns it in this revision; a new reference. */
json_t *tool_definition(const struct config *config, const struct revision *revision);

/*
 * The instructions for models; owned by the caller. Some hosts cut them after 2 kB, so the rules
 * come before the languages.
 */
char *tool_instructions(const struct config *config);

#endif

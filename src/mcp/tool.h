/*
 * The definition of the tool execute_code and the instructions of the server: execute_code.json,
 * completed from the configuration.
 */
#ifndef MCP_TOOL_H
#define MCP_TOOL_H

#include <jansson.h>
#include <stdbool.h>

#include "config/config.h"
#include "mcp/revision.h"

extern const char TOOL_NAME[];

/* The timeout in seconds if the configuration names none: most hosts give up after 60 s. */
enum { TOOL_TIMEOUT = 45 };

/*
 * The tool as tools/list returns it in this revision; a new reference. `offered` tells which
 * languages it offers, by their indexes; NULL: all.
 */
json_t *tool_definition(const struct config *config, const bool *offered,
                        const struct revision *revision);

/*
 * The instructions for models; owned by the caller. They name no languages: which can run may be
 * unknown yet, and some hosts cut instructions after 2 kB.
 */
char *tool_instructions(const struct config *config);

#endif

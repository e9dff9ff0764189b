/*
 * The definitions of the tools and the instructions of the server. The tools are execute_code and,
 * if the configuration has sessions, jobs and tools for programs, close_session, wait_job and
 * search_tools. The definition of execute_code is execute_code.json, completed from the
 * configuration.
 */
#ifndef MCP_TOOL_H
#define MCP_TOOL_H

#include <jansson.h>
#include <stdbool.h>

#include "config/config.h"
#include "mcp/revision.h"
#include "mcp/tool_description.h"

extern const char TOOL_NAME[], TOOL_CLOSE_NAME[], TOOL_WAIT_NAME[], TOOL_SEARCH_NAME[];

/* The timeout in seconds if the configuration names none: most hosts give up after 60 s. */
enum { TOOL_TIMEOUT = 45 };

/*
 * execute_code as tools/list returns it in this revision, with the languages that it offers; a new
 * reference.
 */
json_t *tool_definition(const struct config *config, const struct tool_languages *languages,
                        const struct revision *revision);

/* Likewise an array of all tools. */
json_t *tool_definitions(const struct config *config, const struct tool_languages *languages,
                         const struct revision *revision);

/* Whether there is a tool of this name. */
bool tool_exists(const struct config *config, const char *name);

/* The names of the tools, as in "execute_code, close_session"; owned by the caller. */
char *tool_names(const struct config *config);

/*
 * The instructions for models; owned by the caller. They are short, since hosts send them with the
 * description of the tool, which has the rules, and in each conversation.
 */
char *tool_instructions(const struct config *config);

#endif

/*
 * What the client can read beside calling the tool: the snippets, isolator://snippets/NAME, and what was too
 * much for an answer: isolator://runs/ID/stdout and /stderr, isolator://runs/ID/files/PATH.
 */
#ifndef MCP_RESOURCES_H
#define MCP_RESOURCES_H

#include <jansson.h>

#include "base/error.h"
#include "config/config.h"
#include "mcp/result_store.h"

/*
 * The result of resources/list: at most a hundred snippets, and "nextCursor" where there are more. The
 * cursor is the one that came with the page before, or NULL. NULL where it is none of ours.
 */
json_t *resources_list(const struct config *config, const char *cursor);

/* The result of resources/templates/list. */
json_t *resources_templates(void);

/*
 * The result of resources/read; NULL with ERROR_INPUT where there is no such resource, or where it does
 * not fit into one message.
 */
json_t *resources_read(const struct config *config, struct result_store *store, const char *uri,
                       struct error *error);

/*
 * The result of completion/complete for an argument of the template with this URI; NULL where there is
 * no such template or argument.
 */
json_t *resources_complete(const struct config *config, const char *uri, const char *argument,
                           const char *value);

#endif

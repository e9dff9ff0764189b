/*
 * The resources of the server: snippets, isolator://snippets/NAME, and output and files that did
 * not fit into a tool result: isolator://runs/ID/stdout, isolator://runs/ID/stderr and
 * isolator://runs/ID/files/PATH. The results are new references.
 */
#ifndef MCP_RESOURCES_H
#define MCP_RESOURCES_H

#include <jansson.h>

#include "base/error.h"
#include "config/config.h"
#include "mcp/result_store.h"

/*
 * The result of resources/list: at most 100 snippets, and "nextCursor" if there are more. `cursor`
 * is that of the previous page, or NULL for the first page. NULL if the cursor is invalid.
 */
json_t *resources_list(const struct config *config, const char *cursor);

/* The result of resources/templates/list. */
json_t *resources_templates(void);

/*
 * The result of resources/read. NULL with ERROR_INPUT if there is no such resource or if it does
 * not fit into one message.
 */
json_t *resources_read(const struct config *config, struct result_store *store, const char *uri,
                       struct error *error);

/*
 * The result of completion/complete for an argument of the resource template with this URI. NULL if
 * there is no such template or argument.
 */
json_t *resources_complete(const struct config *config, const char *uri, const char *argument,
                           const char *value);

#endif

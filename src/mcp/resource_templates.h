/*
 * The templates of the server's resources (mcp/resources.h) and the completion of their arguments.
 * The results are new references.
 */
#ifndef MCP_RESOURCE_TEMPLATES_H
#define MCP_RESOURCE_TEMPLATES_H

#include <jansson.h>

#include "config/config.h"

/* The result of resources/templates/list. */
json_t *resource_templates_list(const struct config *config);

/*
 * The result of completion/complete for an argument of the resource template with this URI. NULL if
 * there is no such template or argument.
 */
json_t *resource_templates_complete(const struct config *config, const char *uri,
                                    const char *argument, const char *value);

#endif

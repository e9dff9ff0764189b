/*
 * An entry of a host's configuration as the text of its file. Knows nothing of hosts and servers.
 */
#ifndef MCP_HOST_FORMAT_H
#define MCP_HOST_FORMAT_H

#include <jansson.h>

#include "mcp/hosts.h"

/*
 * The object, not changed, in this format, with a line feed at its end; owned by the caller. In
 * TOML, each object is a table of its own, and keys are bare (TOML 1.0, "Keys"). In YAML, objects
 * and arrays are blocks. Strings of both are in double quotes, with the escapes that TOML 1.0 and
 * YAML 1.2 have in common; what is invisible is escaped.
 */
char *host_format(json_t *object, enum host_format format);

#endif

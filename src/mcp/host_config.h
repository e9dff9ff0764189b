/*
 * The configuration that a host of MCP servers wants, with the path of this program in it.
 */
#ifndef MCP_HOST_CONFIG_H
#define MCP_HOST_CONFIG_H

#include "base/error.h"

/*
 * Prints the JSON for the host on stdout, and where it goes on stderr. `config` is the file
 * that the server has to be told of, or NULL. ERROR_USAGE where the host is not known, ERROR_CONFIG where
 * JSON cannot hold a path.
 */
int host_config_print(const char *host, const char *config, struct error *error);

/* "claude-desktop, vscode, ..."; owned by the caller. */
char *host_config_names(void);

#endif

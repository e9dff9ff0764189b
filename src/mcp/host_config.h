/*
 * The entry for this server in the configuration of an MCP host, with the path of this program.
 */
#ifndef MCP_HOST_CONFIG_H
#define MCP_HOST_CONFIG_H

#include "base/error.h"

/*
 * Prints the JSON for the host on stdout, and the name of the file it belongs in on stderr.
 * `config` is the configuration file that the server gets with --config, or NULL. ERROR_USAGE if
 * the host is not known, ERROR_CONFIG if a path is not UTF-8 and so cannot be in JSON.
 */
int host_config_print(const char *host, const char *config, struct error *error);

/* "claude-desktop, vscode, ..."; owned by the caller. */
char *host_config_names(void);

#endif

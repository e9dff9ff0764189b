/*
 * The entry for this server in the configuration of an MCP host, with the path of this program.
 */
#ifndef MCP_HOST_CONFIG_H
#define MCP_HOST_CONFIG_H

#include "base/error.h"

/*
 * The JSON for the configuration of the host, with a line feed at its end; owned by the caller.
 * `config` is the configuration file that the server gets with --config, or NULL, and `inputs` the
 * absolute path of the directory that it gets with --inputs, or NULL. Sets *file to the name of the
 * file that the JSON belongs in, a literal. NULL with ERROR_USAGE if the host is
 * unknown, with ERROR_CONFIG if `config` does not exist or if a path is not UTF-8, which JSON
 * requires, and with ERROR_SYSTEM if the path of this program is unknown.
 */
char *host_config_entry(const char *host, const char *config, const char *inputs, const char **file,
                        struct error *error);

/* "claude-desktop, vscode, ..."; owned by the caller. */
char *host_config_names(void);

#endif

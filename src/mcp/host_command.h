/*
 * What isolator-mcp does for a host instead of serving: prints the entry for its configuration, or
 * writes it there.
 */
#ifndef MCP_HOST_COMMAND_H
#define MCP_HOST_COMMAND_H

#include <stdbool.h>

#include "mcp/host_config.h"

/* The values of the options. Everything is borrowed. */
struct host_command {
    const char *print;   /* the host of --print-config; NULL: not this */
    const char *install; /* the host of --install; NULL: not this */
    bool dry_run;
};

/* Whether there is anything to do. */
bool host_command_is_set(const struct host_command *command);

/* -1 with ERROR_USAGE if the options contradict each other. */
int host_command_check(const struct host_command *command, struct error *error);

/*
 * Prints the entry or writes it. stdout is the entry, or the difference of --dry-run, and nothing
 * else. If the entry cannot be written, stdout is the entry, for a person to add it. Returns the
 * exit status.
 */
int host_command_run(const struct host_command *command, const struct host_config_options *options);

#endif

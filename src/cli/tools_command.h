/*
 * `isolator tools`: starts the configured servers of tools, and lists the tools that programs may
 * call.
 */
#ifndef CLI_TOOLS_COMMAND_H
#define CLI_TOOLS_COMMAND_H

#include "config/options.h"

extern const struct option_table tools_table;

/* argv[0] is "tools". Returns the exit status of the process. */
int tools_command(int argc, char **argv);

#endif

/*
 * `isolator config`: prints the configuration after all files are merged, with the origin of each
 * value, or the JSON Schema of configuration files.
 */
#ifndef CLI_CONFIG_COMMAND_H
#define CLI_CONFIG_COMMAND_H

#include "config/options.h"

extern const struct option_table config_table;

/* argv[0] is "config". Returns the exit status of the process. */
int config_command(int argc, char **argv);

#endif

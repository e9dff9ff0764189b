/*
 * `isolator config`: prints the configuration as it is after all files, with the origin of each value; or the
 * schema of its files.
 */
#ifndef CLI_CONFIG_COMMAND_H
#define CLI_CONFIG_COMMAND_H

/* argv[0] is "config". Returns the exit status of the process. */
int config_command(int argc, char **argv);

#endif

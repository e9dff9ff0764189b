/*
 * `isolator pull`: fetches the images of the languages.
 */
#ifndef CLI_PULL_COMMAND_H
#define CLI_PULL_COMMAND_H

#include "config/options.h"

extern const struct option_table pull_table;

/* argv[0] is "pull". Returns the exit status of the process. */
int pull_command(int argc, char **argv);

#endif

/*
 * A command of isolator, as src/cli/isolator.c lists them.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "config/options.h"

struct command {
    const char *name;
    int (*run)(int argc, char **argv); /* argv[0] is the name; returns the exit status */
    const char *help;                  /* its line of isolator --help */
    const struct option_table *options;
};

#endif

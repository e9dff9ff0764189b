/*
 * `isolator gc`: removes orphaned containers, whose isolator was killed. Every start of isolator
 * does the same.
 */
#ifndef CLI_GC_COMMAND_H
#define CLI_GC_COMMAND_H

#include "config/options.h"

extern const struct option_table gc_table;

/* argv[0] is "gc". Returns the exit status of the process. */
int gc_command(int argc, char **argv);

#endif

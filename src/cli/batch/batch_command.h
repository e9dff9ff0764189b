/*
 * `isolator batch`: reads requests, one JSON object per line, and prints results, one per line, in
 * the order in which they finish. It runs several at a time, in warm containers if there are any.
 * Nothing of a line is kept after its result is printed.
 */
#ifndef CLI_BATCH_COMMAND_H
#define CLI_BATCH_COMMAND_H

#include "config/options.h"

extern const struct option_table batch_table;

/* argv[0] is "batch". Returns the exit status of the process. */
int batch_command(int argc, char **argv);

#endif

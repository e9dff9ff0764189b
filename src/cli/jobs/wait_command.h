/*
 * `isolator wait`: waits for jobs and prints their results.
 */
#ifndef CLI_JOBS_WAIT_COMMAND_H
#define CLI_JOBS_WAIT_COMMAND_H

#include "config/options.h"

extern const struct option_table wait_table;

/* argv[0] is "wait". Returns the exit status of the process. */
int wait_command(int argc, char **argv);

#endif

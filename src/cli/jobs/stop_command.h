/*
 * `isolator stop`: orders jobs to end.
 */
#ifndef CLI_JOBS_STOP_COMMAND_H
#define CLI_JOBS_STOP_COMMAND_H

#include "config/options.h"

extern const struct option_table stop_table;

/* argv[0] is "stop". Returns the exit status of the process. */
int stop_command(int argc, char **argv);

#endif

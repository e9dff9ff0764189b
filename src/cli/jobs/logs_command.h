/*
 * `isolator logs`: shows what a job has written, and follows it.
 */
#ifndef CLI_JOBS_LOGS_COMMAND_H
#define CLI_JOBS_LOGS_COMMAND_H

#include "config/options.h"

extern const struct option_table logs_table;

/* argv[0] is "logs". Returns the exit status of the process. */
int logs_command(int argc, char **argv);

#endif

/*
 * `isolator rm`: removes jobs.
 */
#ifndef CLI_JOBS_RM_COMMAND_H
#define CLI_JOBS_RM_COMMAND_H

#include "config/options.h"

extern const struct option_table rm_table;

/* argv[0] is "rm". Returns the exit status of the process. */
int rm_command(int argc, char **argv);

#endif

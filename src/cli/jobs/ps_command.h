/*
 * `isolator ps`: lists jobs.
 */
#ifndef CLI_JOBS_PS_COMMAND_H
#define CLI_JOBS_PS_COMMAND_H

#include "config/options.h"

extern const struct option_table ps_table;

/* argv[0] is "ps". Returns the exit status of the process. */
int ps_command(int argc, char **argv);

#endif

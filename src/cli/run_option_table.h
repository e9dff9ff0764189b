/*
 * The tables of the options of `isolator run`, `isolator test` and `isolator session`, for
 * cli/run_options.c, which reads the command line.
 */
#ifndef CLI_RUN_OPTION_TABLE_H
#define CLI_RUN_OPTION_TABLE_H

#include "cli/run_options.h"
#include "config/options.h"

/* By enum run_options_command. Their values are in a struct run_options. */
extern const struct option_table run_option_tables[];

#endif

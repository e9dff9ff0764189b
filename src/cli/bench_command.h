/*
 * `isolator bench`: measures the user's own engine with the user's own configuration, and prints
 * the figures next to README's (cli/bench_figures.h).
 */
#ifndef CLI_BENCH_COMMAND_H
#define CLI_BENCH_COMMAND_H

#include "config/options.h"

extern const struct option_table bench_table;

/* argv[0] is "bench". Returns the exit status of the process. */
int bench_command(int argc, char **argv);

#endif

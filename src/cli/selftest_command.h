/*
 * `isolator selftest`: runs attacks on the user's own engine with the user's own configuration, and
 * prints a table of verdicts (cli/attack.h).
 */
#ifndef CLI_SELFTEST_COMMAND_H
#define CLI_SELFTEST_COMMAND_H

#include "config/options.h"

extern const struct option_table selftest_table;

/* argv[0] is "selftest". Returns the exit status of the process. */
int selftest_command(int argc, char **argv);

#endif

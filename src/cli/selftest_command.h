/*
 * `isolator selftest`: tries on the user's own engine and configuration what hostile programs would try, and
 * prints a table of what held.
 */
#ifndef CLI_SELFTEST_COMMAND_H
#define CLI_SELFTEST_COMMAND_H

/* argv[0] is "selftest". Returns the exit status of the process. */
int selftest_command(int argc, char **argv);

#endif

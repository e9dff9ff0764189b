/*
 * `isolator run`: runs one request from the command line and prints one result on stdout.
 */
#ifndef CLI_RUN_COMMAND_H
#define CLI_RUN_COMMAND_H

/* argv[0] is "run". Returns the exit status of the process. */
int run_command(int argc, char **argv);

#endif

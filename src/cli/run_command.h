/*
 * `isolator run`: runs one request from the command line and prints one result on stdout; and
 * `isolator start`, which starts it as a job and prints its id.
 */
#ifndef CLI_RUN_COMMAND_H
#define CLI_RUN_COMMAND_H

/* argv[0] is "run". Returns the exit status of the process. */
int run_command(int argc, char **argv);

/* The same for "start". */
int start_command(int argc, char **argv);

#endif

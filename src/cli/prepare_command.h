/*
 * `isolator prepare`: installs packages for a language into an image, so that programs need no
 * network.
 */
#ifndef CLI_PREPARE_COMMAND_H
#define CLI_PREPARE_COMMAND_H

/* argv[0] is "prepare". Returns the exit status of the process. */
int prepare_command(int argc, char **argv);

#endif

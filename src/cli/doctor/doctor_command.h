/*
 * `isolator doctor`: checks whether runs work on this host, and prints how to fix what does not.
 */
#ifndef CLI_DOCTOR_COMMAND_H
#define CLI_DOCTOR_COMMAND_H

#include "config/options.h"

extern const struct option_table doctor_table;

/* argv[0] is "doctor". Returns the exit status of the process. */
int doctor_command(int argc, char **argv);

#endif

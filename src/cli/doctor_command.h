/*
 * `isolator doctor`: whether runs work here, and if not, what mends it.
 */
#ifndef CLI_DOCTOR_COMMAND_H
#define CLI_DOCTOR_COMMAND_H

/* argv[0] is "doctor". Returns the exit status of the process. */
int doctor_command(int argc, char **argv);

#endif

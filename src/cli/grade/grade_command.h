/*
 * `isolator test`: runs a program with each test of a directory, and prints a table or JSON.
 */
#ifndef CLI_CASE_COMMAND_H
#define CLI_CASE_COMMAND_H

/* Runs the command; argv[0] is "test". Returns the exit status of the process. */
int grade_command(int argc, char **argv);

#endif

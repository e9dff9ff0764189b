/*
 * isolator session: runs cells one after the other in one container.
 */
#ifndef CLI_SESSION_COMMAND_H
#define CLI_SESSION_COMMAND_H

/* Runs the command with argv[0] = "session" and returns the exit status. */
int session_command(int argc, char **argv);

#endif

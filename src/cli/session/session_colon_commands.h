/*
 * The commands of the prompt of `isolator session`, which begin with a colon: `:files`, `:put`,
 * `:get`, `:reset`, `:quit`, and `:help`, which lists them.
 */
#ifndef CLI_SESSION_COLON_COMMANDS_H
#define CLI_SESSION_COLON_COMMANDS_H

#include <stdbool.h>

#include "cli/session/session_runner.h"

/*
 * Runs a line that begins with a colon, and changes the line. Prints what fails. Returns false if
 * the command ends the program.
 */
bool session_colon_command(struct session_runner *runner, char *line);

#endif

/*
 * `isolator complete -- WORD...`: answers the completion of a shell (config/option_completion.h).
 * It is not for people: neither --help nor the manual has it.
 */
#ifndef CLI_COMPLETE_COMMAND_H
#define CLI_COMPLETE_COMMAND_H

#include <stddef.h>

#include "cli/command.h"

/*
 * Prints what fits in the place of the last of the words, which end with NULL. A configuration that
 * cannot be read and an engine that does not answer within 5 s are no errors: what they have is not
 * offered. Returns the exit status of the process.
 */
int complete_command(const struct command *commands, size_t count, char *const *words);

#endif

/*
 * Code for the shell of a workspace: the command that runs it with src/drivers/shell.sh, in bash if
 * the image has that and else in sh.
 */
#ifndef REQUEST_SHELL_COMMAND_H
#define REQUEST_SHELL_COMMAND_H

#include "base/strvec.h"

/* Adds the words; `environment` ("NAME=VALUE") has what the caller sets for this code. */
void shell_command_add(struct strvec *words, const char *code, const struct strvec *environment);

#endif

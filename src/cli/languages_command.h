/*
 * `isolator languages`: lists the configured languages and the state of their images.
 */
#ifndef CLI_LANGUAGES_COMMAND_H
#define CLI_LANGUAGES_COMMAND_H

#include "config/options.h"

extern const struct option_table languages_table;

/* argv[0] is "languages". Returns the exit status of the process. */
int languages_command(int argc, char **argv);

#endif

/*
 * What the smaller sub-commands share in reading their options with getopt_long(3), whose own messages
 * name no command and tell nothing of --help. Call it with opterr = 0 and a leading ':' in the letters.
 */
#ifndef CLI_COMMAND_LINE_H
#define CLI_COMMAND_LINE_H

#include <getopt.h>

#include "base/error.h"

/*
 * For what getopt_long() returned, ':' or '?': sets the ERROR_USAGE that says what is wrong with the
 * option. Returns -1.
 */
int command_line_refuse(int option, const char *command, const struct option *known,
                        char *const *argv, struct error *error);

/* Whether all that was printed on stdout has got there; -1: an ERROR_SYSTEM that says `what` has not. */
int command_line_flush(const char *what, struct error *error);

#endif

/*
 * What the sub-commands but `run` are made of: a description of one, and the way from argv to its exit status
 * that all of them go: options (getopt_long(3), whose own messages name no command and tell nothing of
 * --help), configuration, work, and whether what was printed has got out.
 */
#ifndef CLI_COMMAND_LINE_H
#define CLI_COMMAND_LINE_H

#include <getopt.h>
#include <limits.h>

#include "base/error.h"
#include "config/config.h"

/* The options that each has stand at the end of its table. Options without a letter count from COMMAND_OPTION. */
#define COMMAND_OPTIONS_COMMON                                                                     \
    {"config", required_argument, NULL, 256}, {"help", no_argument, NULL, 'h'},                    \
    {                                                                                              \
        NULL, 0, NULL, 0                                                                           \
    }
enum { COMMAND_OPTION = 257, COMMAND_ANY_OPERANDS = INT_MAX };

struct command_line {
    const char *name;           /* "gc" */
    const char *help;           /* what --help prints; ends in a newline */
    const char *letters;        /* as getopt's, with a ':' in front and 'h' among them: ":nh" */
    const struct option *known; /* ends with COMMAND_OPTIONS_COMMON */
    int operands_most;
    /*
     * What becomes of a configuration that cannot be read, whose error this is: 0 where run() shall get the
     * built-in one in its place, having emptied the error; -1: the error ends the process. NULL: it always does.
     */
    int (*without_config)(void *options, struct error *error);
    /* Takes an option of its own, by its `val`; -1: its value is wrong, ERROR_USAGE. NULL: it has none. */
    int (*take)(void *options, int option, char *value, struct error *error);
    /*
     * Does the work. `operands` end with NULL. Returns the exit status of the process, or -1 with the error.
     * Signals are the caller's to catch (signals_catch()), where it can begin to wait.
     */
    int (*run)(void *options, char **operands, const struct config *config, struct error *error);
    const char *output; /* what it prints, for the message that this could not be written: "list" */
};

/*
 * Whether getopt_long(), which took the argument, found a long option in it that is not written out: what is short
 * for one option today may be another one tomorrow, or of another command.
 */
bool command_line_abbreviates(const struct option *known, const char *argument);

/*
 * For what getopt_long() returned, with opterr = 0 and a ':' in front of the letters: sets the ERROR_USAGE that
 * says what is wrong with the argument, which is an unknown option unless that was ':' or '?'. Returns -1.
 */
int command_line_refuse(int option, const char *command, const struct option *known,
                        const char *argument, struct error *error);

/*
 * Whether what was printed on stdout, the "help" say, has got there: the exit status of the process. That of SIGPIPE,
 * without a word, where nobody reads it any more.
 */
int command_line_printed(const char *what);

/* Returns the exit status of the process. `options` is handed to take() and run(). */
int command_line_main(const struct command_line *command, int argc, char **argv, void *options);

#endif

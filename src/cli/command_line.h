/*
 * What all sub-commands except `run` have in common: the description of a command, and its way
 * from argv to the exit status. The steps are: parse the options, load the configuration, do the
 * work, and check that the output was written. getopt_long(3) parses the options. Its own messages
 * are not used because they name neither the command nor --help.
 */
#ifndef CLI_COMMAND_LINE_H
#define CLI_COMMAND_LINE_H

#include <getopt.h>
#include <limits.h>

#include "base/error.h"
#include "config/config.h"

/*
 * The options of every command; they end its table of options. The values of a command's own
 * options without a letter begin at COMMAND_OPTION.
 */
#define COMMAND_OPTIONS_COMMON                                                                     \
    {"config", required_argument, NULL, 256}, {"help", no_argument, NULL, 'h'},                    \
    {                                                                                              \
        NULL, 0, NULL, 0                                                                           \
    }
enum { COMMAND_OPTION = 257, COMMAND_ANY_OPERANDS = INT_MAX };

struct command_line {
    const char *name;    /* "gc" */
    const char *help;    /* what --help prints; ends in a newline */
    const char *letters; /* for getopt(3): begins with ':' and contains 'h', as in ":nh" */
    const struct option *known_options; /* ends with COMMAND_OPTIONS_COMMON */
    int operands_max;
    /*
     * Called with the error if the configuration cannot be read. Returns 0 and empties the error
     * to make run() use the built-in configuration, or -1 to end with the error. NULL always ends
     * with the error.
     */
    int (*without_config)(void *options, struct error *error);
    /*
     * Handles an option of the command, which is identified by its `val`. Returns 0, or -1 with
     * ERROR_USAGE for a wrong value. NULL if the command has no options of its own.
     */
    int (*take_option)(void *options, int option, char *value, struct error *error);
    /*
     * Does the work. `operands` ends with NULL. Returns the exit status of the process, or -1 with
     * the error. A command that waits catches the signals itself (signals_catch()).
     */
    int (*run)(void *options, char **operands, const struct config *config, struct error *error);
    const char *output; /* names the output in the message that it cannot be written: "list" */
};

/*
 * Whether the argument is an abbreviated long option that getopt_long() accepted. Abbreviations are
 * refused because they may become ambiguous, or differ between commands.
 */
bool command_line_abbreviates(const struct option *known_options, const char *argument);

/*
 * Sets the ERROR_USAGE for what getopt_long() returned, called with opterr = 0 and letters that
 * begin with ':'. ':' means that the value is missing; any other value than '?' means an unknown
 * option, and `advice` says what to do about one that is like no known option. Returns -1.
 */
int command_line_refuse(int option, const char *advice, const struct option *known_options,
                        const char *argument, struct error *error);

/* Reads the value of an option: a whole number from `min` to `max`. ERROR_USAGE. */
int command_line_number(const char *option, const char *value, int min, int max, int *result,
                        struct error *error);

/*
 * Checks whether everything printed on stdout was written. `what` names it for the message
 * ("help"). Returns the exit status of the process. If the reader has closed the pipe, that is the
 * status of SIGPIPE, without a message.
 */
int command_line_printed(const char *what);

/*
 * Runs the command and returns the exit status of the process. `options` is passed to the
 * callbacks.
 */
int command_line_main(const struct command_line *command, int argc, char **argv, void *options);

#endif

/*
 * What all sub-commands except `run`, `start`, `test` and `session` have in common: the description
 * of a command, and its way from argv to the exit status. The steps are: parse the options, load
 * the configuration, do the work, and check that the output was written.
 */
#ifndef CLI_COMMAND_LINE_H
#define CLI_COMMAND_LINE_H

#include <limits.h>

#include "base/error.h"
#include "config/config.h"
#include "config/options.h"
#include "config/settings.h"

/* The options that every command has: the first member of its struct of options. */
struct common_options {
    const char *config; /* borrowed from argv; NULL: the default places */
    const char *audit;  /* borrowed; NULL: as configured; of those that run programs */
    /* Borrowed, of those that try the engine; NULL: as the configuration has it. */
    const char *runtime, *oci_runtime;
    bool help;
};

/* Their rows. */
#define COMMAND_OPTION_CONFIG                                                                      \
    {                                                                                              \
        OPTION_TEXT_CONFIG, OPTION_STRING(struct common_options, config)                           \
    }
#define COMMAND_OPTION_AUDIT                                                                       \
    {                                                                                              \
        OPTION_TEXT_AUDIT, OPTION_STRING(struct common_options, audit)                             \
    }
#define COMMAND_OPTION_RUNTIME                                                                     \
    {                                                                                              \
        OPTION_TEXT_RUNTIME, OPTION_CALL(struct common_options, runtime, command_take_runtime),    \
            .choices = OPTION_CHOICES_RUNTIME                                                      \
    }
#define COMMAND_OPTION_OCI_RUNTIME                                                                 \
    {                                                                                              \
        OPTION_SHARED(&setting_rules[SETTING_OCI_RUNTIME].key,                                     \
                      &setting_rules[SETTING_OCI_RUNTIME].option),                                 \
            OPTION_CALL(struct common_options, oci_runtime, command_take_oci_runtime),             \
            .choices = OPTION_CHOICES_OCI_RUNTIME                                                  \
    }
#define COMMAND_OPTION_HELP                                                                        \
    {                                                                                              \
        OPTION_TEXT_HELP, OPTION_FLAG(struct common_options, help)                                 \
    }

/* Check the value of --runtime and --oci-runtime, and keep it in a const char *. */
option_apply command_take_runtime, command_take_oci_runtime;

/* The text of --tools. `more` are sentences for the manual page, each with a blank at its end. */
#define COMMAND_TEXT_TOOLS(more)                                                                   \
    {                                                                                              \
        0, "--tools", "NAME", "server of tools for programs; repeatable", NULL,                    \
            "A server of *tools* or *mcpServers* in the configuration, whose allowed tools "       \
            "programs may call; without this option they have none. This option can be given "     \
            "more than once. " more "See isolator-tools(1)."                                       \
    }

/* Adds the value to a struct strvec. plan_resolve() knows the names. */
option_apply command_take_tools;

/* Says how many creations of containers were interrupted, if a result cannot name all of them. */
void command_line_warn_interrupted(size_t count);

/* The text of --retries, for struct workers_limits; `what` is run again, "request". */
#define COMMAND_TEXT_RETRIES(what)                                                                 \
    {                                                                                              \
        0, "--retries", "N", "run a " what " again if the engine fails", NULL,                     \
            "Run a " what " again, up to N times and at most 10 times, if its result has "         \
            "*reason* 'engine' or 'judge-error'. The pause before it is 0.5 s, then twice as "     \
            "long each time, at most 30 s; meanwhile others may run. Only the last result is "     \
            "printed. If the " what " was run again, *retries* in the result says how often. "     \
            "The default is 0."                                                                    \
    }

enum { COMMAND_RETRIES_MAX = 10 };

/*
 * The text of --allow-host: `who` may reach the host, "the program"; `more` are sentences for the
 * manual page.
 */
#define COMMAND_TEXT_ALLOW_HOST(who, more)                                                         \
    {                                                                                              \
        0, "--allow-host", "HOST[:PORT]", "host that may be reached; repeatable", NULL,            \
            "A host that " who " may reach over a proxy in the container, which has no network: "  \
            "a name, *.NAME for all names below it, an address of IPv4, or one of IPv6 in "        \
            "brackets, like [::1]:8080. *.NAME does not include NAME itself. Without a PORT, the " \
            "ports are 80 and 443. This option can be given more than once. " more                 \
    }

enum { COMMAND_ANY_OPERANDS = INT_MAX };

struct command_line {
    const struct option_table *options;
    /* Of the struct of its options, which begins with struct common_options, and is zeros first. */
    size_t options_size;
    int operands_max;
    /*
     * Called with the error if the configuration cannot be read. Returns 0 and empties the error
     * to make run() use the built-in configuration, or -1 to end with the error. NULL always ends
     * with the error.
     */
    int (*without_config)(void *options, struct error *error);
    /* Adds to the configuration, which was loaded. 0, or -1 with the error. NULL: nothing. */
    int (*complete_config)(struct config *config, struct error *error);
    /*
     * Does the work. `operands` ends with NULL. Returns the exit status of the process, or -1 with
     * the error. A command that waits catches the signals itself (signals_catch()).
     */
    int (*run)(void *options, char **operands, const struct config *config, struct error *error);
    void (*release)(void *options); /* frees what the options own; NULL: nothing */
    const char *output; /* names the output in the message that it cannot be written: "list" */
};

/*
 * Checks whether everything printed on stdout was written. `what` names it for the message
 * ("help"). Returns the exit status of the process. If the reader has closed the pipe, that is the
 * status of SIGPIPE, without a message.
 */
int command_line_printed(const char *what);

/* Prints the --help of the options. Returns the exit status of the process. */
int command_line_print_help(const struct option_table *options);

/* Runs the command and returns the exit status of the process. */
int command_line_main(const struct command_line *command, int argc, char **argv);

#endif

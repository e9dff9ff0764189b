/*
 * The commands of isolator, as src/cli/isolator.c lists them.
 */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include "cli/command_line.h"

struct command {
    const char *name;
    const char *help;                /* its line of isolator --help */
    const struct command_line *line; /* NULL: it is one with `options` and `run` of its own */
    const struct option_table *options;
    int (*run)(int argc, char **argv); /* argv[0] is the name; returns the exit status */
};

static inline const struct option_table *command_options(const struct command *command)
{
    return command->line ? command->line->options : command->options;
}

/* What each does is in its `usage`. */
extern const struct command_line batch_command, bench_command, config_command, cp_command,
    doctor_command, gc_command, languages_command, logs_command, ls_command, prepare_command,
    ps_command, pull_command, rm_command, selftest_command, stop_command, tools_command,
    wait_command;

/* argv[0] is the name of the command, "run". They return the exit status of the process. */
int run_command(int argc, char **argv);
int start_command(int argc, char **argv);
int grade_command(int argc, char **argv);
int session_command(int argc, char **argv);
int create_command(int argc, char **argv);
int exec_command(int argc, char **argv);

#endif

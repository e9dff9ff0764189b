/*
 * The cells of one `isolator session`: runs a cell, shows what it printed and its result, and
 * writes its files.
 */
#ifndef CLI_SESSION_RUNNER_H
#define CLI_SESSION_RUNNER_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/run_options.h"
#include "cli/session/session_prompt.h"
#include "cli/session/session_shell.h"
#include "config/config.h"
#include "run/result.h"

struct session_runner {
    struct run_options options;
    struct config config;
    struct session_shell shell;
    struct session_prompt *prompt; /* NULL: the cells come from a file or a pipe */
    int artifacts;                 /* open directory for files, owned; -1: none */
    struct strvec names, files;    /* for completion, since the last cell; empty without a prompt */
    long long cells;               /* run so far in this session, as the interpreter counts them */
    bool failed;                   /* one of them */
};

/*
 * Runs a cell and prints everything about it, with --json as one line. Whatever fails is printed
 * too, and sets `failed`. `line` as in struct session_cell.
 */
void session_runner_run(struct session_runner *runner, const char *code, size_t length,
                        long long line);

/*
 * After a cell: says on stderr if the session or its interpreter has ended with this result. The
 * cells of the next session are counted from 1 again.
 */
void session_runner_end_cell(struct session_runner *runner, const struct result *result);

#endif

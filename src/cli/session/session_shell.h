/*
 * The session of `isolator session`: runs a cell, sends files and fetches files. It opens the
 * session when a cell needs one, and again after it was closed or has ended.
 */
#ifndef CLI_SESSION_SHELL_H
#define CLI_SESSION_SHELL_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strvec.h"
#include "cli/run_options.h"
#include "config/config.h"
#include "run/result.h"
#include "service/service.h"

struct session_shell {
    const struct run_options *options; /* borrowed, like the configuration */
    const struct config *config;
    struct service service;
    char id[SESSION_ID_SIZE]; /* "": none is open */
    char *language;           /* owned */
};

/* What a cell has. All is borrowed. */
struct session_cell {
    const char *code;
    size_t length;
    long long
        line;   /* it begins there in the file of the options, from 1 on; 0: it is not from one */
    bool names; /* the result has names for completion */
    const struct strvec
        *files;         /* of this host, to be sent into the working directory too; NULL: none */
    const char *wanted; /* a pattern of files to fetch; NULL: those of the options */
};

/*
 * Opens the service. ERROR_USAGE if the options do not fit the configuration, ERROR_SYSTEM.
 * Everything is borrowed until session_shell_close().
 */
int session_shell_open(struct session_shell *shell, const struct run_options *options,
                       const struct config *config, struct error *error);
void session_shell_close(struct session_shell *shell);

/* Whether the language has an interpreter that stays, so that an empty cell does nothing. */
bool session_shell_keeps_state(const struct session_shell *shell);

/*
 * Runs a cell and fills in the result, which is empty (RESULT_INIT), whatever happens. Ctrl-C
 * cancels it; signals_caught() is SIGINT then.
 */
void session_shell_run(struct session_shell *shell, const struct session_cell *cell,
                       const struct run_observer *observer, struct result *result);

/* Ends the session; the next cell opens another one. */
void session_shell_reset(struct session_shell *shell);

#endif

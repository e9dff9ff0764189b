/*
 * The exit statuses of isolator(1), and which errors and results they stand for.
 */
#ifndef CLI_EXIT_STATUS_H
#define CLI_EXIT_STATUS_H

#include "base/error.h"
#include "run/result.h"

enum exit_status {
    EXIT_STATUS_SUCCESS = 0,
    EXIT_STATUS_PROGRAM = 1, /* the program failed, or exceeded its memory or output limit */
    EXIT_STATUS_USAGE = 2,   /* wrong command line, configuration or input */
    EXIT_STATUS_ENGINE = 3,
    EXIT_STATUS_TIMEOUT = 124,    /* as timeout(1); also for the limit of CPU time */
    EXIT_STATUS_INTERRUPTED = 128 /* plus the signal */
};

/* Prints "isolator: MESSAGE" on stderr. Returns the exit status for the error. */
int exit_status_report(const struct error *error);

/* The exit status for the result. `signal` is the signal that cancelled the run; 0: none. */
int exit_status_of_result(const struct result *result, int signal);

#endif

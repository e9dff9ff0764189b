/*
 * The exit statuses of isolator(1), and how errors and results become them.
 */
#ifndef CLI_EXIT_STATUS_H
#define CLI_EXIT_STATUS_H

#include "base/error.h"
#include "run/result.h"

enum exit_status {
    EXIT_STATUS_SUCCESS = 0,
    EXIT_STATUS_PROGRAM = 1, /* the program failed, also for want of memory or by its output */
    EXIT_STATUS_USAGE = 2,   /* command line, configuration, or files that cannot be sent */
    EXIT_STATUS_ENGINE = 3,
    EXIT_STATUS_TIMEOUT = 124,    /* as timeout(1) */
    EXIT_STATUS_INTERRUPTED = 128 /* plus the signal */
};

/* Prints "isolator: MESSAGE" on stderr and returns the exit status of the error. */
int exit_status_report(const struct error *error);

/* `signal` is the signal that cancelled the run, 0 for none. */
int exit_status_of_result(const struct result *result, int signal);

#endif

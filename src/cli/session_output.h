/*
 * What `isolator session` shows of a cell. The output of a program appears as it comes, on stdout
 * and stderr; if one of them is a terminal, with escape sequences made visible.
 */
#ifndef CLI_SESSION_OUTPUT_H
#define CLI_SESSION_OUTPUT_H

#include <pthread.h>

#include "base/error.h"
#include "run/result.h"
#include "run/run_stats.h"

/* Shows the output of one cell while it runs: a thread that reads two pipes. */
struct session_output {
    struct run_observer observer; /* for service_run() */
    int pipes[2][2];              /* of stdout and stderr: the ends to read and to write; owned */
    pthread_t thread;
};

/* ERROR_SYSTEM. Call session_output_end() after success, when the cell has ended. */
int session_output_begin(struct session_output *output, struct error *error);

/* Waits until everything is shown, and ends an incomplete line. */
void session_output_end(struct session_output *output);

/*
 * Prints what a cell has besides its output: its value, after `label` ("Out[1]: ") if it has one,
 * why it failed unless its traceback says so, and the warnings.
 */
void session_output_result(const struct result *result, const char *label);

#endif

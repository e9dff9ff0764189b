/*
 * The output of a program as it comes, on stdout and stderr. What of it goes to a terminal cannot
 * control it: escape sequences are made visible, except those that set colours, which are reset at
 * the end. Of one that is not a terminal, bytes are passed on as they are.
 */
#ifndef CLI_LIVE_OUTPUT_H
#define CLI_LIVE_OUTPUT_H

#include <pthread.h>

#include "base/error.h"
#include "run/run_stats.h"

/* Shows the output of one program while it runs: a thread that reads two pipes. */
struct live_output {
    struct run_observer observer; /* for service_run() */
    int pipes[2][2];              /* of stdout and stderr: the ends to read and to write; owned */
    pthread_t thread;
};

/* ERROR_SYSTEM. Call live_output_end() after success, when the program has ended. */
int live_output_begin(struct live_output *output, struct error *error);

/* Waits until everything is shown, and ends an incomplete line. */
void live_output_end(struct live_output *output);

#endif

/*
 * The work of `isolator batch`: each line of the input becomes a run of the service, whose result is printed
 * as a line.
 *
 * A line is a JSON object with the members of execute_code (config/tool_arguments.h) and `id`, any JSON
 * value, which comes back in the result, as does the number of the line. A line that is wrong gets a
 * result of reason `input`, as a program does that cannot be sent.
 */
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include <stdbool.h>

#include "base/error.h"
#include "config/config.h"

struct batch_options {
    int in;        /* where the lines come from; borrowed */
    int jobs;      /* lines at a time */
    int artifacts; /* directory, open, for the files that come back, each line's below one of its number; borrowed; -1 */
    bool force;    /* what is there may be replaced */
    bool verbose;  /* which container each had, on stderr */
    bool quiet;    /* no progress there */
};

/* What came of it. */
struct batch_totals {
    long long done;   /* results printed */
    long long failed; /* of these not "success" */
    int output_error; /* errno of stdout, which takes no more; 0: none */
};

/*
 * Runs until the input ends, a signal comes (signals_catch() before) or stdout takes no more; what runs
 * then is ended. No container is left. Fails with ERROR_SYSTEM where there can be no thread, with
 * ERROR_INPUT where the input cannot be read.
 */
int batch_run(const struct config *config, const struct batch_options *options,
              struct batch_totals *totals, struct error *error);

#endif

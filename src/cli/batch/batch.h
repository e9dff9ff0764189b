/*
 * The work of `isolator batch`: runs each line of the input and prints its result as one line of
 * JSON, or as a row of a table (cli/batch/batch_table.h). Or starts it as a job, and prints that.
 *
 * A line is a JSON object with the arguments of execute_code (request/tool_arguments.h) and an
 * `id`, which may be any JSON value. The result has the `id` and the number of the line. A line
 * that is invalid, or whose program cannot be sent, gets a result with reason `input`.
 */
#ifndef CLI_BATCH_H
#define CLI_BATCH_H

#include <stdbool.h>

#include "base/error.h"
#include "cli/batch/batch_output.h"
#include "cli/batch/batch_resume.h"
#include "cli/batch/batch_shard.h"
#include "config/config.h"

struct batch_options {
    int in;        /* descriptor of the input; borrowed */
    int parallel;  /* how many lines run at the same time, once the engine has kept up */
    int artifacts; /* open directory, gets a subdirectory per line; borrowed; -1: none */
    const char *artifacts_path;        /* of that directory, absolute; NULL: none */
    bool force;                        /* replace existing files */
    bool detach;                       /* start jobs, and print their ids */
    bool verbose;                      /* print the container of each line on stderr */
    bool quiet;                        /* show neither progress nor a summary */
    bool as_table;                     /* print rows for a person, not JSON */
    const char *programs;              /* directory for entrypoint_file; borrowed; NULL: none */
    const struct strvec *tools;        /* servers whose tools they may call; borrowed */
    struct batch_shard shard;          /* the lines that run */
    int share;                         /* lines that share a container; 0: each has its own */
    int retries;                       /* how often a request is run again that the engine failed */
    const struct batch_resume *resume; /* requests that are skipped; borrowed; NULL: none */
};

/*
 * Runs until the input ends, a signal arrives (call signals_catch() first) or stdout cannot be
 * written; requests that are still running are then cancelled. No container remains but those of
 * jobs that were started. Fails with ERROR_SYSTEM if a thread cannot be started, and with
 * ERROR_INPUT if the input cannot be read.
 */
int batch_run(const struct config *config, const struct batch_options *options,
              struct batch_totals *totals, struct error *error);

#endif

/*
 * What `isolator batch` and `isolator wait --all` write: the results on stdout, and progress,
 * remarks and the summary on stderr. Thread-safe, except for the functions that open and end it.
 */
#ifndef CLI_BATCH_OUTPUT_H
#define CLI_BATCH_OUTPUT_H

#include <jansson.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/output.h"
#include "cli/batch/batch_shard.h"
#include "cli/batch/batch_summary.h"
#include "cli/batch/batch_table.h"
#include "cli/progress.h"
#include "run/result.h"

struct batch_totals {
    long long done;   /* results printed */
    long long failed; /* results that are not a success */
    long long engine; /* of these, those that say nothing about the program */
    int output_error; /* errno of a failed write to stdout; 0: none */
};

struct batch_output {
    atomic_llong requests, bytes; /* read so far; blank lines are not requests */
    /* The rest is the module's own. */
    pthread_mutex_t lock; /* protects stdout, stderr and the members below */
    struct output out;    /* stdout */
    bool ended;           /* nothing more is written */
    bool as_table, quiet;
    struct batch_table table;
    long long begin; /* clock_now_ms() */
    struct batch_totals totals;
    struct batch_summary summary;
    struct progress progress;
    struct strvec printed_hints; /* hints that a table has already, which come once */
};

/*
 * `in` is the input; -1: there is none. `as_table` prints the results as a table; `quiet` shows
 * neither progress nor the summary.
 */
void batch_output_open(struct batch_output *output, int in, bool as_table, bool quiet);

/* Makes the summary name the shard, unless the input is not divided. Before the first result. */
void batch_output_name_shard(struct batch_output *output, const struct batch_shard *shard);

/*
 * Requests that need not run: `skipped` of them, in so many bytes of the input. Before the first
 * result.
 */
void batch_output_skip(struct batch_output *output, long long skipped, long long bytes);

/*
 * Prints the members of the object, which has `id` and `line` if the request is of a batch, and of
 * the result as one line, counts the result, and shows the progress. Warnings that a table does not
 * have go to stderr, the same hint once. Takes ownership of the object. False: stdout cannot be
 * written, and this raises signals_cancel().
 */
bool batch_output_result(struct batch_output *output, json_t *object, struct result *result);

/*
 * The same for a request that was started as a job with this id: its members, `job` and the
 * warnings of the start.
 */
bool batch_output_job(struct batch_output *output, json_t *object, const char *job,
                      const struct strvec *warnings);

/* Writes a line to stderr. */
void batch_output_remark(struct batch_output *output, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes the summary to stderr if there was a request, and frees everything. */
void batch_output_end(struct batch_output *output, struct batch_totals *totals);

/*
 * The exit status of a command that has written these results. Prints why the output failed, except
 * for EPIPE. If the engine failed a request, or its image is missing, it is that of a failure of
 * the engine, whatever the other requests have: who started the command knows that it should run
 * again. A request is cancelled by a signal, which has a status of its own, or since a person has
 * stopped its job.
 */
int batch_output_exit_status(const struct batch_totals *totals);

#endif

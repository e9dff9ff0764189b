#include "cli/batch_output.h"

#include <errno.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/json_text.h"
#include "base/signals.h"
#include "cli/result_text.h"

void batch_output_open(struct batch_output *output, int in, bool quiet)
{
    *output = (struct batch_output){.quiet = quiet, .begin = clock_now_ms()};
    pthread_mutex_init(&output->lock, NULL);
    output_open(&output->out, STDOUT_FILENO);
    progress_begin(&output->progress, in, quiet);
}

void batch_output_skip(struct batch_output *output, long long skipped, long long bytes)
{
    output->summary.skipped = skipped;
    if (output->progress.size >= bytes)
        output->progress.size -= bytes;
}

/* Stops the output after a line that could not be written. The caller has the lock. */
static void stop(struct batch_output *output, int write_error)
{
    output->ended = true;
    if (write_error == ECANCELED)
        return;
    output->totals.output_error = write_error;
    notifier_raise(signals_cancel()); /* cancel the running requests */
}

/* The caller has the lock. */
static void count(struct batch_output *output, const struct result *result)
{
    output->totals.done++;
    output->totals.failed += !result_success(result);
    batch_summary_add(&output->summary, result);
    /* The figures of the input may be slightly out of date: they are read without a lock. */
    progress_show(&output->progress, output->totals.done, output->totals.failed,
                  atomic_load(&output->requests), atomic_load(&output->bytes));
}

/* A line that is being written, and whether it has the lock: from its first piece on. */
struct output_line {
    struct batch_output *output;
    bool locked;
};

/* A result_text_writer. */
static bool write_piece(void *context, const char *data, size_t length)
{
    struct output_line *line = context;
    struct batch_output *output = line->output;

    if (!line->locked)
        pthread_mutex_lock(&output->lock);
    line->locked = true;
    if (!output->ended && output_write(&output->out, data, length, 0, signals_cancel()) != length)
        stop(output, errno);
    return !output->ended;
}

void batch_output_result(struct batch_output *output, json_t *object, struct result *result)
{
    struct output_line line = {output, false};

    if (result_text_write(object, result, json_text_flags(object), write_piece, &line))
        count(output, result);
    pthread_mutex_unlock(&output->lock);
}

void batch_output_remark(struct batch_output *output, const char *line)
{
    pthread_mutex_lock(&output->lock);
    progress_clear(&output->progress);
    diagnostics_line("%s", line);
    pthread_mutex_unlock(&output->lock);
}

void batch_output_end(struct batch_output *output, struct batch_totals *totals)
{
    CLEANUP_FREE char *line = batch_summary_line(&output->summary, clock_now_ms() - output->begin);

    progress_clear(&output->progress);
    if (!output->quiet && (output->totals.done > 0 || output->summary.skipped > 0))
        diagnostics_line("%s", line);
    output_release(&output->out);
    pthread_mutex_destroy(&output->lock);
    *totals = output->totals;
}

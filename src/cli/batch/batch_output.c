#include "cli/batch/batch_output.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/json_make.h"
#include "base/json_text.h"
#include "base/signals.h"
#include "base/text.h"
#include "base/thread.h"
#include "cli/exit_status.h"
#include "cli/result_text.h"
#include "cli/safe_json.h"
#include "run/hints.h"

void batch_output_open(struct batch_output *output, int in, bool as_table, bool quiet)
{
    *output = (struct batch_output){.as_table = as_table, .quiet = quiet, .begin = clock_now_ms()};
    batch_table_init(&output->table);
    pthread_mutex_init(&output->lock, NULL);
    output_open(&output->out, STDOUT_FILENO);
    progress_begin_input(&output->progress, in, quiet);
}

void batch_output_name_shard(struct batch_output *output, const struct batch_shard *shard)
{
    output->summary.shard = *shard;
}

void batch_output_skip(struct batch_output *output, long long skipped, long long bytes)
{
    output->summary.skipped = skipped;
    progress_skip(&output->progress, bytes);
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

/* Shows one more result. The caller has the lock. */
static void count_one(struct batch_output *output, bool failed)
{
    output->totals.done++;
    output->totals.failed += failed;
    /* The figures of the input may be slightly out of date: they are read without a lock. */
    progress_show(&output->progress, output->totals.done, output->totals.failed,
                  atomic_load(&output->requests), atomic_load(&output->bytes));
}

/* The caller has the lock. */
static void count(struct batch_output *output, const struct result *result)
{
    batch_summary_add(&output->summary, result);
    output->totals.engine += result->reason == REASON_ENGINE ||
                             result->reason == REASON_IMAGE_MISSING ||
                             result->reason == REASON_JUDGE;
    count_one(output, !result_success(result));
}

/* Writes a piece of a result. False if nothing more is written. The caller has the lock. */
static bool write_locked(struct batch_output *output, const char *data, size_t length)
{
    if (!output->ended && output_write(&output->out, data, length, 0, signals_cancel()) != length)
        stop(output, errno);
    return !output->ended;
}

/* ---- JSON */

/* A line that is being written, and whether it has the lock: from its first piece on. */
struct output_line {
    struct batch_output *output;
    bool locked;
};

/* A result_text_writer. */
static bool write_piece(void *context, const char *data, size_t length)
{
    struct output_line *line = context;

    if (!line->locked)
        pthread_mutex_lock(&line->output->lock);
    line->locked = true;
    return write_locked(line->output, data, length);
}

static bool write_json(struct batch_output *output, json_t *object, struct result *result)
{
    struct output_line line = {output, false};
    const bool written =
        result_text_write(object, result, json_text_flags(object), write_piece, &line);

    if (written)
        count(output, result);
    pthread_mutex_unlock(&output->lock);
    return written;
}

/* ---- a table */

/*
 * The first ones, `hints`, are not written if they have been. The caller has the lock. A job that
 * is not of a batch has no line, and is named by its id.
 */
static void write_warnings(struct batch_output *output, const json_t *object,
                           const struct strvec *warnings, size_t hints)
{
    const long long line = json_integer_value(json_object_get(object, "line"));
    const char *id = json_string_value(json_object_get(object, "id"));
    CLEANUP_FREE char *subject =
        line > 0 || !id ? string_format("line %lld", line) : string_format("job %s", id);

    for (size_t i = 0; i < warnings->count; i++) {
        CLEANUP_FREE char *escaped = text_escape(warnings->items[i]);

        if (i >= hints || hints_is_new(&output->printed_hints, escaped))
            diagnostics_line("%s: warning: %s", subject, escaped);
    }
}

static bool write_row(struct batch_output *output, const json_t *object,
                      const struct result *result)
{
    const long long line = json_integer_value(json_object_get(object, "line"));
    CLEANUP_FREE char *row = NULL;
    bool written;

    THREAD_LOCK(&output->lock);
    progress_clear(&output->progress);
    row = batch_table_row(&output->table, json_object_get(object, "id"), line, result);
    written = write_locked(output, row, strlen(row));
    if (written) {
        write_warnings(output, object, &result->warnings, result->hints);
        write_warnings(output, object, &result->artifacts.missing, 0);
        count(output, result);
    }
    return written;
}

/* ---- */

bool batch_output_result(struct batch_output *output, json_t *object, struct result *result)
{
    bool written;

    if (!output->as_table)
        return write_json(output, object, result);
    written = write_row(output, object, result);
    json_decref(object);
    return written;
}

static bool write_job_json(struct batch_output *output, json_t *object, const char *job,
                           const struct strvec *warnings)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    json_object_set_new(object, "job", json_string(job));
    json_object_set_new(object, "warnings", json_make_list(warnings));
    if (safe_json_dump(object, json_text_flags(object), safe_json_add, &text) != 0)
        abort();
    strbuf_addch(&text, '\n');
    return write_locked(output, text.data, text.length);
}

bool batch_output_job(struct batch_output *output, json_t *object, const char *job,
                      const struct strvec *warnings)
{
    const long long line = json_integer_value(json_object_get(object, "line"));
    CLEANUP_FREE char *row = NULL;
    bool written;

    THREAD_LOCK(&output->lock);
    if (output->as_table) {
        progress_clear(&output->progress);
        row = batch_table_job_row(&output->table, json_object_get(object, "id"), line, job);
        written = write_locked(output, row, strlen(row));
        write_warnings(output, object, warnings, 0);
    } else {
        written = write_job_json(output, object, job, warnings);
    }
    if (written) {
        batch_summary_count(&output->summary, "started");
        count_one(output, false);
    }
    json_decref(object);
    return written;
}

void batch_output_remark(struct batch_output *output, const char *format, ...)
{
    CLEANUP(strbuf_release) struct strbuf line = STRBUF_INIT;
    va_list arguments;

    va_start(arguments, format);
    strbuf_vaddf(&line, format, arguments);
    va_end(arguments);
    THREAD_LOCK(&output->lock);
    diagnostics_line("%s", strbuf_string(&line));
}

void batch_output_end(struct batch_output *output, struct batch_totals *totals)
{
    CLEANUP_FREE char *line = batch_summary_line(&output->summary, clock_now_ms() - output->begin);

    progress_end(&output->progress);
    if (!output->quiet && (output->totals.done > 0 || output->summary.skipped > 0))
        diagnostics_line("%s", line);
    output_release(&output->out);
    strvec_release(&output->printed_hints);
    pthread_mutex_destroy(&output->lock);
    *totals = output->totals;
}

int batch_output_exit_status(const struct batch_totals *totals)
{
    if (totals->output_error == EPIPE)
        return EXIT_STATUS_INTERRUPTED + SIGPIPE;
    if (totals->output_error != 0) {
        diagnostics_line("cannot write the results: %s", strerror(totals->output_error));
        return EXIT_STATUS_ENGINE;
    }
    if (signals_caught() != 0)
        return EXIT_STATUS_INTERRUPTED + signals_caught();
    if (totals->engine > 0)
        return EXIT_STATUS_ENGINE;
    return totals->failed > 0 ? EXIT_STATUS_PROGRAM : EXIT_STATUS_SUCCESS;
}

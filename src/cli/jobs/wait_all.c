#include "cli/jobs/wait_all.h"

#include <errno.h>
#include <poll.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/io.h"
#include "base/signals.h"
#include "cli/batch/batch_output.h"
#include "cli/exit_status.h"
#include "service/job_batch.h"
#include "service/job_list.h"

/* Between two looks at the engine, in ms: a short pause after a job has ended, then longer ones. */
enum { MIN_PAUSE_MS = 200, MAX_PAUSE_MS = 2000 };

struct wait_all {
    struct job_fetch fetch; /* of jobs that have ended, so without a deadline */
    long long deadline;     /* clock_now_ms(); 0: none */
    struct batch_output output;
    struct strvec seen; /* ids of all jobs so far */
    struct strvec done; /* and of those that need nothing more */
    int status;         /* EXIT_STATUS_ENGINE after a failure */
};

/* For a row of the table: a job that is not of a batch is named as its user knows it. */
static bool print_result(void *context, const struct job_note *note, struct result *result)
{
    struct wait_all *all = context;
    json_t *members = job_fetch_members(note);

    if (all->output.as_table && !note->batch_id)
        json_object_set_new(members, "id", json_string(note->name ? note->name : note->id));
    return batch_output_result(&all->output, members, result);
}

/*
 * Whether no one waits for it here: a workspace, or the job of a model, whose server has told the
 * model that it can wait for it.
 */
static bool is_left_out(const char *id)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    CLEANUP(job_note_release) struct job_note note = JOB_NOTE_INIT;

    return job_note_open(&note, id, &ignored) == 0 && (note.of_model || note.is_workspace);
}

/* Notes jobs that are new. */
static void note_new_jobs(struct wait_all *all, const struct strvec *ids)
{
    for (size_t i = 0; i < ids->count; i++) {
        if (strvec_contains(&all->seen, ids->items[i]))
            continue;
        strvec_push(&all->seen, ids->items[i]);
        if (is_left_out(ids->items[i]))
            strvec_push(&all->done, ids->items[i]);
    }
}

/* What is known of a job in a pass. */
enum job_progress {
    JOB_PENDING, /* there will be a result */
    JOB_FETCHED, /* or has failed: nothing more is to be done */
    JOB_ABSENT   /* it will not run on this engine */
};

/* Reports the error, unless the job is in use, or was fetched or removed by someone else. */
static enum job_progress report_failure(struct wait_all *all, const struct job_note *note,
                                        const struct error *error)
{
    if (note->busy || error->kind == ERROR_CANCELLED)
        return JOB_PENDING;
    if (error->kind != ERROR_USAGE)
        all->status = exit_status_report(error);
    return JOB_FETCHED;
}

static enum job_progress fetch_ended(struct wait_all *all, const char *id)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(job_note_release) struct job_note note = JOB_NOTE_INIT;

    return job_fetch(&all->fetch, id, &note, &error) < 0 ? report_failure(all, &note, &error)
                                                         : JOB_FETCHED;
}

static enum job_progress progress_of(struct wait_all *all, const char *id,
                                     const struct job_list *list)
{
    const char *state = NULL;

    for (size_t i = 0; i < list->count && !state; i++)
        if (strcmp(list->rows[i].id, id) == 0)
            state = list->rows[i].state;
    if (!state || strcmp(state, "created") == 0) /* it would have started before it had a file */
        return JOB_ABSENT;
    return job_state_runs(state) ? JOB_PENDING : fetch_ended(all, id);
}

/*
 * Fetches what has ended. Sets how many jobs are pending and which are absent, and returns how many
 * have ended; -1 with the error.
 */
static int fetch_ended_jobs(struct wait_all *all, size_t *pending, struct strvec *absent,
                            struct error *error)
{
    CLEANUP(job_list_release) struct job_list list = JOB_LIST_INIT;
    CLEANUP(strvec_release) struct strvec ids = STRVEC_INIT;
    int fetched = 0;

    *pending = 0;
    job_notes_list(&ids, false); /* first: a job that has a file was started */
    note_new_jobs(all, &ids);
    if (job_list_read(&list, all->fetch.docker, signals_cancel(), error) != 0)
        return -1;
    for (size_t i = 0; i < ids.count && !notifier_raised(signals_cancel()); i++) {
        const char *id = ids.items[i];
        const enum job_progress progress =
            strvec_contains(&all->done, id) ? JOB_FETCHED : progress_of(all, id, &list);

        *pending += progress == JOB_PENDING;
        if (progress == JOB_ABSENT)
            strvec_push(absent, id);
        if (progress == JOB_FETCHED && !strvec_contains(&all->done, id)) {
            strvec_push(&all->done, id);
            fetched++;
        }
    }
    return fetched;
}

/* False: a signal or the deadline came. */
static bool pause_until(long long deadline, long long ms)
{
    struct pollfd cancelled = {notifier_fd(signals_cancel()), POLLIN, 0};
    const long long left = deadline > 0 ? deadline - clock_now_ms() : ms;

    if (left <= 0)
        return false;
    io_poll(&cancelled, 1, (int)(left < ms ? left : ms));
    return !notifier_raised(signals_cancel());
}

/* True: not reported, since another isolator works on the job now. */
static bool report_absent(const char *id)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(job_note_release) struct job_note note = JOB_NOTE_INIT;

    if (job_note_lock(&note, id, &error) == 0)
        diagnostics_line("the job %s does not run on this engine: to forget it, use isolator rm",
                         id);
    return note.busy;
}

/* Returns how many jobs have not ended. -1 with the error. */
static long long fetch_all(struct wait_all *all, struct error *error)
{
    long long ms = MIN_PAUSE_MS;

    for (;;) {
        CLEANUP(strvec_release) struct strvec absent = STRVEC_INIT;
        const bool more = job_batch_runs(); /* asked before the pass, which then sees all jobs */
        size_t pending;
        const int fetched = fetch_ended_jobs(all, &pending, &absent, error);

        if (fetched < 0)
            return -1;
        ms = fetched > 0 ? MIN_PAUSE_MS : 2 * ms < MAX_PAUSE_MS ? 2 * ms : MAX_PAUSE_MS;
        for (size_t i = 0; i < absent.count && pending == 0 && !more; i++)
            pending += report_absent(absent.items[i]);
        if (pending > 0 || more) {
            if (pause_until(all->deadline, ms))
                continue;
            return (long long)pending + more;
        }
        return 0;
    }
}

static int exit_status(const struct wait_all *all, const struct batch_totals *totals,
                       long long pending)
{
    const int status = batch_output_exit_status(totals);

    if (totals->output_error != 0 || signals_caught() != 0)
        return status;
    if (all->status != EXIT_STATUS_SUCCESS)
        return all->status;
    if (pending > 0) {
        diagnostics_line("jobs have not ended within the --timeout: %lld", pending);
        return EXIT_STATUS_TIMEOUT;
    }
    return status;
}

int wait_for_all(const struct job_fetch *fetch, bool as_table, bool quiet, struct error *error)
{
    struct wait_all all = {
        .fetch = *fetch, .deadline = fetch->deadline, .seen = STRVEC_INIT, .done = STRVEC_INIT};
    struct batch_totals totals;
    long long pending;

    all.fetch.deadline = 0;
    all.fetch.print = print_result;
    all.fetch.context = &all;
    batch_output_open(&all.output, -1, as_table, quiet);
    pending = fetch_all(&all, error);
    batch_output_end(&all.output, &totals);
    strvec_release(&all.seen);
    strvec_release(&all.done);
    if (pending < 0 && signals_caught() == 0 && totals.output_error == 0)
        return -1;
    error_release(error);
    *error = (struct error)ERROR_INIT;
    return exit_status(&all, &totals, pending);
}

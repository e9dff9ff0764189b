#include "cli/batch/batch.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/diagnostics.h"
#include "base/json_text.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/text.h"
#include "cli/artifact_files.h"
#include "cli/batch/batch_input.h"
#include "cli/batch/batch_jobs.h"
#include "cli/batch/batch_line.h"
#include "cli/batch/batch_sessions.h"
#include "cli/command_line.h"
#include "container/owned_container.h"
#include "request/tool_arguments.h"
#include "run/hints.h"
#include "service/service.h"
#include "service/workspaces.h"

struct batch {
    const struct config *config;
    const struct batch_options *options;
    struct service service;
    struct notifier changed; /* raised when a run has ended */

    struct batch_input input;
    struct batch_output output;
    struct batch_sessions sessions;
    struct batch_jobs jobs; /* with options->detach */
};

/* One line of the input, from its submission to the end of the cleanup. */
struct line_run {
    struct batch *batch;
    long long number; /* from 1 */
    json_t *id;       /* owned; NULL: the line has none */
    char *workspace;  /* that it names; owned; NULL: none */
    struct hint_program program;
};

/* ---- a line */

static void free_line(struct line_run *run)
{
    json_decref(run->id);
    free(run->workspace);
    free(run);
}

/*
 * Prints the result of a line; `job` is the id of the one that was started, or NULL. False: it
 * could not be written.
 */
static bool finish_line(struct line_run *run, const char *job, struct result *result)
{
    struct batch *batch = run->batch;
    CLEANUP_FREE char *below = string_format("%lld", run->number);
    CLEANUP_FREE char *of_job = job ? owned_container_job_name(job) : NULL;
    const char *container = job ? of_job : result->container;
    json_t *object = json_object();
    bool written;

    result_name_subject(result, tool_arguments_namer);
    hints_add(result, &run->program, &hint_line);
    if (batch->options->artifacts >= 0 && !batch->options->detach)
        artifact_files_write(batch->options->artifacts, below, batch->options->force,
                             ARTIFACT_FILES_FORCE, result);
    json_object_set(object, "id", run->id ? run->id : json_null());
    json_object_set_new(object, "line", json_integer(run->number));
    if (run->workspace)
        json_object_set_new(object, "workspace", json_string(run->workspace));
    written = job ? batch_output_job(&batch->output, object, job, &result->warnings)
                  : batch_output_result(&batch->output, object, result);
    if (batch->options->verbose)
        batch_output_remark(&batch->output, "line %lld: container %s, warm: %s", run->number,
                            container ? container : "none", result->warm ? "true" : "false");
    return written;
}

/* The service calls this with the result of a run. */
static void on_result(void *context, struct result *result)
{
    finish_line(context, NULL, result);
}

/* The service calls this after the cleanup of a run. `problem` is NULL if it succeeded. */
static void on_cleaned_up(void *context, const char *problem)
{
    struct line_run *run = context;
    CLEANUP_FREE char *escaped = text_escape(problem ? problem : "");

    if (problem)
        batch_output_remark(&run->batch->output, "warning: %s", escaped);
    free_line(run);
}

/* A batch_jobs_started function. */
static bool on_started(void *context, const char *id, struct result *result)
{
    struct line_run *run = context;
    const bool written = finish_line(run, id, result);

    free_line(run);
    return written;
}

/* Starts a job of the request. On success on_started() owns the run. */
static int start_job(struct line_run *run, struct request *request, struct error *error)
{
    struct batch *batch = run->batch;
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;

    if (plan_resolve(&plan, batch->config, request, error) != 0)
        return -1;
    return batch_jobs_start(&batch->jobs, &plan, run->id, run->number, run, error);
}

/* Submits the run of the arguments. On success the callbacks own the run. */
static int submit_line(struct line_run *run, const json_t *arguments, struct error *error)
{
    struct batch *batch = run->batch;
    const char *workspace = json_string_value(json_object_get(arguments, "workspace"));
    const struct run_callbacks callbacks = {.observer = RUN_OBSERVER_INIT,
                                            .done = on_result,
                                            .cleaned_up = on_cleaned_up,
                                            .context = run};
    CLEANUP(request_release) struct request request;
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;
    const struct tool_client client = {.programs = batch->options->programs,
                                       .tools = batch->options->tools};

    request_init(&request);
    run->workspace = workspace ? string_copy(workspace) : NULL;
    if (tool_arguments_read(arguments, TOOL_CALLER_BATCH, batch->config, &client, &request,
                            error) != 0)
        return -1;
    request.share_max = batch->options->detach || run->workspace ? 0 : batch->options->share;
    if (batch_sessions_check(&request, batch->options->detach,
                             batch_shard_is_part(&batch->options->shard), error) != 0)
        return -1;
    if (batch->options->detach)
        return start_job(run, &request, error);
    if (run->workspace && workspaces_find(&request, error) != 0)
        return -1;
    if (batch_sessions_find(&batch->sessions, batch->config, &request, error) != 0)
        return -1;
    if (service_find_session(&batch->service, &request, error) != 0) {
        batch_sessions_note(&batch->sessions, &request); /* it has ended: its name may be closed */
        return -1;
    }
    if (plan_resolve(&plan, batch->config, &request, error) != 0)
        return -1;
    run->program = hint_program_of(batch->config, &plan);
    if (service_submit(&batch->service, &plan, &callbacks, NULL, error) != 0)
        return -1;
    batch_sessions_note(&batch->sessions, &request);
    return 0;
}

/* Starts the run of the arguments unless it has a result already. */
static int start_arguments(struct line_run *run, json_t *arguments, bool *skipped,
                           struct error *error)
{
    const struct batch_resume *resume = run->batch->options->resume;

    *skipped = resume && batch_resume_skips(resume, run->id, arguments);
    return *skipped ? 0 : submit_line(run, arguments, error);
}

/*
 * Starts the run of a line. *skipped is set if it has a result already; the run is then still the
 * caller's. `text` is NULL if the line is too long.
 */
static int start_run(struct line_run *run, const char *text, size_t length, bool *skipped,
                     struct error *error)
{
    json_t *arguments;
    int result;

    if (!text)
        return error_set(error, ERROR_USAGE, "a line cannot be longer than %d MiB",
                         JSON_TEXT_MAX >> 20);
    if (batch_line_parse(text, length, &arguments, &run->id, error) != 0)
        return -1;
    result = start_arguments(run, arguments, skipped, error);
    json_decref(arguments);
    return result;
}

/* Starts the run of a line, or prints its error. */
static void start_line(struct batch *batch, const char *text, size_t length)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(result_release) struct result result = RESULT_INIT;
    struct line_run *run = memory_allocate(sizeof *run);
    bool skipped = false, good;

    *run = (struct line_run){.batch = batch, .number = batch->input.number};
    good = start_run(run, text, length, &skipped, &error) == 0;
    if (!skipped) {
        atomic_fetch_add(&batch->output.bytes, (long long)length + 1);
        atomic_fetch_add(&batch->output.requests, 1);
    }
    if (good && !skipped)
        return;
    if (!good) {
        result_fail(&result, &error);
        finish_line(run, NULL, &result);
    }
    free_line(run);
}

/* ---- all lines */

/* Whether no more lines are started. */
static bool is_stopped(const struct batch *batch)
{
    return notifier_raised(signals_cancel()) || batch->input.error != 0;
}

static bool has_room(struct batch *batch)
{
    return batch->options->detach ? batch_jobs_have_room(&batch->jobs)
                                  : service_has_room(&batch->service);
}

/* Whether all runs have ended, or all jobs are started. */
static bool is_idle(struct batch *batch)
{
    return batch->options->detach ? batch_jobs_are_started(&batch->jobs)
                                  : service_is_idle(&batch->service);
}

/* Waits until it is true. False: a signal arrived. */
static bool wait_until(struct batch *batch, bool (*is_true)(struct batch *batch))
{
    while (!notifier_raised(signals_cancel())) {
        /* Clear it before asking: a later change raises it again. */
        notifier_clear(&batch->changed);
        if (is_true(batch))
            return true;
        batch_input_wait(notifier_fd(&batch->changed));
    }
    return false;
}

/*
 * Starts the next line as soon as there is room, unless it belongs to another shard. Then its bytes
 * count as read, so that the progress shows how many requests of this shard remain.
 */
static void take_line(struct batch *batch, const char *text, size_t length)
{
    if (!batch_shard_has(&batch->options->shard, batch->input.number))
        atomic_fetch_add(&batch->output.bytes, (long long)length + 1);
    else if (wait_until(batch, has_room))
        start_line(batch, text, length);
}

/*
 * There is room for a line before it is started, and a line before that is waited for: after the
 * last one there is nothing to wait for.
 */
static void run_lines(struct batch *batch)
{
    const char *text;
    size_t length;

    while (!is_stopped(batch)) {
        if (batch_input_next(&batch->input, &text, &length)) {
            take_line(batch, text, length);
            linux_trim_memory(length);
        } else if (batch->input.ended) {
            break;
        } else {
            batch_input_read(&batch->input);
        }
    }
    service_stop_pool(&batch->service);
}

/*
 * A warm container saves time if a core is idle that can make it. With a run for each core it would
 * only slow these down, and the last one is made for nothing.
 */
static enum pool_policy pool_policy(const struct batch_options *options)
{
    if (options->share > 0 && !options->detach)
        return POOL_SHARED;
    return options->parallel < linux_cores() && !options->detach ? POOL_ON_DEMAND : POOL_NONE;
}

static int open_jobs(struct batch *batch, struct error *error)
{
    const struct batch_options *options = batch->options;
    const struct batch_jobs_options jobs = {.docker = &batch->service.docker,
                                            .audit = &batch->service.audit,
                                            .artifacts = options->artifacts_path,
                                            .force = options->force,
                                            .keep_hours = batch->config->jobs.keep_hours,
                                            .max = options->parallel,
                                            .started = on_started,
                                            .changed = &batch->changed};

    return batch_jobs_open(&batch->jobs, &jobs, error);
}

static int start_batch(struct batch *batch, struct error *error)
{
    const struct batch_options *options = batch->options;
    const struct service_options service_options = {.pool = pool_policy(options),
                                                    .limits = {.max_active = options->parallel,
                                                               .gradual = true,
                                                               .max_retries = options->retries},
                                                    .has_tools = options->tools->count > 0,
                                                    .changed = &batch->changed};

    if (notifier_open(&batch->changed, error) != 0)
        return -1;
    if (service_open(&batch->service, batch->config, &service_options, error) != 0) {
        notifier_release(&batch->changed);
        return -1;
    }
    if (options->detach && open_jobs(batch, error) != 0) {
        service_close(&batch->service, 0);
        notifier_release(&batch->changed);
        return -1;
    }
    batch_output_open(&batch->output, options->in, options->as_table, options->quiet);
    batch_output_name_shard(&batch->output, &options->shard);
    if (options->resume)
        batch_output_skip(&batch->output, options->resume->skipped, options->resume->bytes);
    return 0;
}

static void end_batch(struct batch *batch, struct batch_totals *totals)
{
    if (batch->options->detach)
        batch_jobs_close(&batch->jobs);
    service_close(&batch->service, 0);
    command_line_warn_interrupted(batch->service.interrupted);
    batch_output_end(&batch->output, totals);
    batch_sessions_release(&batch->sessions);
    batch_input_release(&batch->input);
    notifier_release(&batch->changed);
}

/* Reports that there was nothing to do, which a person may not have meant. */
static void report_empty(const struct batch_options *options, const struct batch_totals *totals)
{
    const struct batch_shard *shard = &options->shard;

    if (totals->done > 0 || totals->output_error != 0 || signals_caught() != 0 ||
        (options->resume && options->resume->skipped > 0) || options->quiet)
        return;
    if (batch_shard_is_part(shard))
        diagnostics_line("the input has no request of shard %d/%d", shard->number, shard->count);
    else
        diagnostics_line("the input is empty: it has no request");
}

int batch_run(const struct config *config, const struct batch_options *options,
              struct batch_totals *totals, struct error *error)
{
    struct batch batch = {
        .config = config,
        .options = options,
        .changed = NOTIFIER_INIT,
        .input = BATCH_INPUT_INIT(options->in),
        .sessions = BATCH_SESSIONS_INIT,
    };

    *totals = (struct batch_totals){.done = 0};
    if (start_batch(&batch, error) != 0)
        return -1;
    run_lines(&batch);
    wait_until(&batch, is_idle); /* after a signal the service cancels what runs */
    end_batch(&batch, totals);
    if (options->detach && signals_caught() != 0)
        diagnostics_line("the jobs that were started go on: isolator wait --all");
    if (batch.input.error == 0) {
        report_empty(options, totals);
        return 0;
    }
    errno = batch.input.error;
    return error_set_errno(error, ERROR_INPUT, "cannot read the requests");
}

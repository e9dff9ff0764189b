#include "mcp/job_call.h"

#include <poll.h>
#include <time.h>

#include "base/capture.h"
#include "base/cleanup.h"
#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/io.h"
#include "base/thread.h"
#include "mcp/advice.h"
#include "mcp/job_result.h"
#include "mcp/tool.h"
#include "mcp/tool_result.h"
#include "request/tool_arguments.h"
#include "service/job_output.h"
#include "service/jobs.h"

/* For how long a job may be locked by a call that was cancelled, and how often it is tried. */
enum { LOCK_MS = 2000, LOCK_POLL_MS = 100 };

bool job_call_is_start(const struct job_call *call)
{
    return call->wait.job[0] == '\0';
}

/* Sends the response, unless the call is closed: then false. Takes ownership of the result. */
static bool respond(struct job_call *call, json_t *result)
{
    bool open;

    THREAD_LOCK(&call->calls->lock);
    open = !call->closed;
    call->closed = true;
    if (open)
        responder_result(&call->responder, result);
    else
        json_decref(result);
    return open;
}

static void respond_failure(struct job_call *call, const struct error *error)
{
    respond(call, tool_result_of_failure(error->message));
}

/* ---- what a program has left */

static json_t *tool_result_of(const struct job_call *call, struct result *result,
                              const char *language)
{
    const struct config *config = call->calls->config;
    const struct language *known = language ? config_language(config, language) : NULL;
    const struct advice_offers offers = advice_offers_of(config, known);
    const struct revision revision = responder_reads(&call->responder);

    result_name_subject(result, tool_arguments_namer);
    strvec_push_all(&result->warnings, &call->warnings);
    advice_add(result, known, &offers);
    return tool_result_of_run(result, &revision,
                              known_client_max_text(call->responder.client, config->max_text_bytes),
                              call->calls->store);
}

static long long seconds_left(const struct job_note *note)
{
    const long long left = note->ends - (long long)time(NULL);

    return note->ends == 0 ? -1 : left > 0 ? left : 0;
}

static void take_output(void *context, int stream, const char *data, size_t length)
{
    capture_add(&((struct capture *)context)[stream], data, length);
}

static void take_omitted(void *context, int stream, unsigned long long bytes)
{
    capture_skip(&((struct capture *)context)[stream], bytes);
}

static bool go_on(void *context)
{
    (void)context;
    return true;
}

/* Fills in the output so far. */
static int read_output(const struct job_call *call, const struct job_note *note,
                       struct running_job *job, struct error *error)
{
    struct capture captures[2] = {CAPTURE_INIT(JOB_OUTPUT_MAX), CAPTURE_INIT(JOB_OUTPUT_MAX)};
    const struct job_output output = {
        .take = take_output, .omitted = take_omitted, .go_on = go_on, .context = captures};
    const int result =
        job_output_read(&call->calls->service->docker, note, false, &output, &call->cancel, error);

    for (int i = 0; i < 2; i++) {
        job->truncated[i] = capture_truncated(&captures[i]);
        job->text[i] = capture_take_text(&captures[i]);
        capture_release(&captures[i]);
    }
    return result;
}

/* ---- the start */

/* Starts the job. False: there is none, and the result says why. */
static bool start_if_possible(struct job_call *call, struct job_note *note, struct result *result)
{
    CLEANUP_FREE char *advice =
        string_format("get the result of one of them with %s, then start this one", TOOL_WAIT_NAME);
    const struct job_start options = {.docker = &call->calls->service->docker,
                                      .plan = &call->plan,
                                      .audit = &call->calls->service->audit,
                                      .keep_hours = call->calls->config->jobs.keep_hours,
                                      .max_running = call->calls->config->jobs.max_running,
                                      .when_full = advice,
                                      .of_model = true,
                                      .cancel = &call->cancel};

    return jobs_start(&options, note, result);
}

/* Removes a job whose id the client does not have, or whose result it has. */
static void remove_job(const struct job_call *call, const struct job_note *note)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (jobs_remove(&call->calls->service->docker, note, true, NULL, &error) != 0)
        diagnostics_line("warning: cannot remove the job %s: %s", note->id, error.message);
}

static void start_job(struct job_call *call)
{
    CLEANUP(job_note_release) struct job_note note = JOB_NOTE_INIT;
    CLEANUP(result_release) struct result result = RESULT_INIT;
    struct running_job job = {.id = note.id, .warnings = &call->warnings};
    struct revision revision;

    if (!start_if_possible(call, &note, &result)) {
        respond(call, tool_result_of(call, &result, call->plan.language));
        return;
    }
    job.seconds_left = seconds_left(&note);
    revision = responder_reads(&call->responder);
    if (!respond(call, job_result_started(&job, &revision)))
        remove_job(call, &note);
}

/* ---- the wait */

/* Locks the file of the job. A call that was cancelled may not have unlocked it yet. */
static int lock_job(const struct job_call *call, struct job_note *note, struct error *error)
{
    const long long end = clock_now_ms() + LOCK_MS;
    struct pollfd cancelled = {notifier_fd(&call->cancel), POLLIN, 0};

    while (job_note_lock(note, call->wait.job, error) != 0) {
        if (error->kind == ERROR_USAGE) {
            error_release(error);
            *error = (struct error)ERROR_INIT;
            return error_set(error, ERROR_INPUT,
                             "there is no job %s: its result was returned already, or another user "
                             "has started it; start its program again",
                             call->wait.job);
        }
        if (clock_now_ms() >= end || notifier_raised(&call->cancel))
            return error_prefix(error, "cannot wait for the job");
        job_note_release(note);
        error_release(error);
        *error = (struct error)ERROR_INIT;
        io_poll(&cancelled, 1, LOCK_POLL_MS);
    }
    return 0;
}

/* Without its lock, which another call may have that waits. */
static int stop_job(const struct job_call *call, struct error *error)
{
    CLEANUP(job_note_release) struct job_note note = JOB_NOTE_INIT;

    if (job_note_open(&note, call->wait.job, error) == 0 &&
        jobs_stop(&call->calls->service->docker, &note, &call->cancel, error) == 0)
        return 0;
    return error_prefix(error, "cannot end the job");
}

/* The job is removed once the client has the result, as far as that is known. */
static void respond_ended(struct job_call *call, const struct job_note *note, struct result *result)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (!result->container) {
        error_set(&error, ERROR_ENGINE,
                  "the container of the job %s is not on this engine: it was removed, or the job "
                  "is on another engine; start its program again",
                  note->id);
        respond_failure(call, &error);
        return;
    }
    if (respond(call, tool_result_of(call, result, note->plan.language)) &&
        writer_flush(call->responder.writer))
        remove_job(call, note);
}

static void respond_running(struct job_call *call, const struct job_note *note)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct running_job job = {
        .id = note->id, .seconds_left = seconds_left(note), .warnings = &call->warnings};
    const struct revision revision = responder_reads(&call->responder);

    if (read_output(call, note, &job, &error) == 0)
        respond(call, job_result_running(&job, &revision));
    else
        respond_failure(call, &error);
    for (int i = 0; i < 2; i++)
        strbuf_release(&job.text[i]);
}

static void wait_for_job(struct job_call *call)
{
    const long long deadline = call->progress.begin + (long long)(call->wait.seconds * 1000);
    const struct service *service = call->calls->service;
    CLEANUP(job_note_release) struct job_note note = JOB_NOTE_INIT;
    CLEANUP(result_release) struct result result = RESULT_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(error_release) struct error not_stopped = ERROR_INIT;
    const bool stopped = !call->wait.stop || stop_job(call, &not_stopped) == 0;
    bool runs = false;

    if (lock_job(call, &note, &error) != 0) {
        respond_failure(call, &error);
        return;
    }
    if (jobs_wait(&service->docker, &call->calls->service->audit, &note, deadline, &call->cancel,
                  &result, &runs, &error) == 0)
        respond_ended(call, &note, &result);
    else if (runs && stopped)
        respond_running(call, &note);
    else
        respond_failure(call, stopped ? &error : &not_stopped);
}

void job_call_run(struct job_call *call)
{
    if (job_call_is_start(call))
        start_job(call);
    else
        wait_for_job(call);
}

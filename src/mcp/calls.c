#include "mcp/calls.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/memory.h"
#include "base/thread.h"
#include "container/owned_container.h"
#include "mcp/tool_result.h"
#include "request/job_arguments.h"
#include "request/tool_arguments.h"

/* How often progress is sent if there is new output. */
enum { OUTPUT_MS = 500 };

struct call *call_new(void)
{
    struct call *call = memory_allocate(sizeof *call);

    *call = (struct call){.next = NULL};
    progress_init(&call->progress, NULL);
    return call;
}

void call_free(struct call *call)
{
    responder_nothing(&call->responder);
    progress_release(&call->progress);
    call_question_release(&call->questions);
    strvec_release(&call->warnings);
    free(call->unprepared);
    free(call);
}

void calls_init(struct calls *calls, struct service *service, const struct config *config,
                struct writer *writer, struct result_store *store)
{
    *calls = (struct calls){.service = service, .config = config, .writer = writer, .store = store};
    pthread_mutex_init(&calls->lock, NULL);
}

/* Removes the call from the list. The caller has the lock. */
static void unlink_call(struct calls *calls, const struct call *call)
{
    struct call **link = &calls->list;

    while (*link != call)
        link = &(*link)->next;
    *link = call->next;
}

/* The caller has the lock. */
static void send_progress(struct call *call, const char *message)
{
    progress_send(&call->progress, &call->responder, message);
    call->last_bytes = atomic_load(&call->stats.output_bytes);
}

/* Whether the container of the call serves an earlier call already. */
static bool is_in_open_session(const struct call *call)
{
    return call->session[0] != '\0' && !call->opens_session;
}

static void close_session(const struct call *call)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT; /* it has ended by itself */

    service_close_session(call->calls->service, call->session, &ignored);
}

/* Whether a program was built or has begun. */
static bool has_begun(const struct result *result)
{
    return result->exit_code != EXIT_CODE_NONE || result->build;
}

/* That a language is not prepared is worth one warning, and not one with each call. */
static void drop_sent_warning(const struct call *call, struct result *result)
{
    struct calls *calls = call->calls;

    if (!call->unprepared)
        return;
    THREAD_LOCK(&calls->lock);
    if (strvec_contains(&calls->sent_warnings, call->unprepared))
        strvec_remove(&result->warnings, call->unprepared);
    else if (!call->closed && strvec_contains(&result->warnings, call->unprepared))
        strvec_push(&calls->sent_warnings, call->unprepared);
}

/* ---- what the service calls for a run */

static void call_started(void *context)
{
    struct call *call = context;

    THREAD_LOCK(&call->calls->lock);
    call->started = true;
    if (call->progress.token && !call->closed)
        send_progress(call, is_in_open_session(call) ? "starting in the session"
                                                     : "starting a fresh container");
}

static void call_done(void *context, struct result *result)
{
    struct call *call = context;
    struct calls *calls = call->calls;
    bool opened = call->opens_session;
    struct revision revision;
    size_t max_text;
    json_t *tool_result;

    if (opened && !has_begun(result)) {
        close_session(call);
        result_drop_session(result);
        opened = false;
    }
    result_name_subject(result, tool_arguments_namer);
    drop_sent_warning(call, result);
    strvec_push_all(&result->warnings, &call->warnings);
    advice_add(result, call->language, &call->offers);
    if (calls->service->docker.trace) /* after the steps of the call */
        diagnostics_line("container %s, warm: %s", result->container ? result->container : "none",
                         result->warm ? "true" : "false");
    pthread_mutex_lock(&calls->lock);
    revision = responder_reads(&call->responder);
    max_text = known_client_max_text(call->responder.client, calls->config->max_text_bytes);
    pthread_mutex_unlock(&calls->lock);
    tool_result = tool_result_of_run(result, &revision, max_text, calls->store);
    pthread_mutex_lock(&calls->lock);
    unlink_call(calls, call);
    if (call->closed) {
        json_decref(tool_result);
        responder_nothing(&call->responder);
    } else {
        if (call->questions.unclaimed)
            unclaimed_results_keep(&calls->results, &call->questions.key, tool_result);
        else
            responder_result(&call->responder, tool_result);
        opened = false; /* the client has its id */
    }
    pthread_mutex_unlock(&calls->lock);
    if (opened)
        close_session(call);
}

static void call_cleaned_up(void *context, const char *problem)
{
    struct call *call = context;
    struct calls *calls = call->calls;

    if (problem)
        diagnostics_line("warning: %s", problem);
    call_free(call);
    THREAD_LOCK(&calls->lock);
    calls->unfinished--;
}

/* ---- what the server calls */

int calls_submit(struct calls *calls, struct call *call, struct plan *plan, struct error *error)
{
    const struct run_callbacks callbacks = {
        .observer = {.live = {-1, -1}, .stats = &call->stats, .asker = call->asker},
        .started = call_started,
        .done = call_done,
        .cleaned_up = call_cleaned_up,
        .context = call};
    struct call **last = &calls->list;
    int result;

    call->calls = calls;
    call->language = config_language(calls->config, plan->language);
    if (plan->base)
        call->unprepared = owned_container_unprepared(plan->language, plan->base);
    call->offers = advice_offers_of(calls->config, call->language);
    call->offers.job =
        job_arguments_offered(calls->config) &&
        plan->policy.limits.number[LIMIT_TIMEOUT] < job_arguments_timeout(calls->config);
    call->opens_session = plan->session.open;
    memcpy(call->session, plan->session.id, sizeof call->session);
    THREAD_LOCK(&calls->lock); /* the callbacks wait until the call is in the list */
    while (*last)
        last = &(*last)->next;
    result = service_submit(calls->service, plan, &callbacks, &call->handle, error);
    if (result == 0) {
        *last = call;
        calls->unfinished++;
    }
    return result;
}

void calls_ask_by_responses(struct calls *calls, struct call *call, const char *digest)
{
    call_question_init(&call->questions, &calls->lock, &call->responder, &call->closed, digest);
    call->asker = &call->questions.asker;
}

/* The call goes on with another request. The caller has the lock. */
static void resume(struct call *call, struct responder *responder, const json_t *params)
{
    call->responder = *responder;
    *responder = (struct responder){.writer = NULL};
    progress_release(&call->progress);
    progress_init(&call->progress, params);
    call_question_resume(&call->questions, json_object_get(params, "inputResponses"));
}

bool calls_resume(struct calls *calls, const struct call_question_key *key,
                  struct responder *responder, const json_t *params)
{
    struct call *call;
    json_t *result = NULL;

    THREAD_LOCK(&calls->lock);
    call = calls->list;
    while (call && (call->closed || !call_question_matches(&call->questions, key)))
        call = call->next;
    if (call)
        resume(call, responder, params);
    else if ((result = unclaimed_results_take(&calls->results, key)))
        responder_result(responder, result);
    return call || result;
}

void calls_cancel(struct calls *calls, const json_t *id)
{
    THREAD_LOCK(&calls->lock);
    for (struct call *call = calls->list; call; call = call->next) {
        if (!json_equal(call->responder.id, id) && !call_question_responded(&call->questions, id))
            continue;
        call->closed = true;
        service_cancel(calls->service, call->handle);
    }
}

/* Whether an earlier call of its session has not ended yet. The caller has the lock. */
static bool waits_for_session(const struct call *call)
{
    const struct call *other = call->calls->list;

    while (other != call && strcmp(other->session, call->session) != 0)
        other = other->next;
    return call->session[0] != '\0' && other != call;
}

/* The message of progress of a call, owned. `ahead` calls wait before it. Has the lock. */
static char *describe_progress(const struct call *call, unsigned long long bytes, int ahead)
{
    if (!call->started && waits_for_session(call))
        return string_copy("waiting; another call uses the session");
    if (!call->started)
        return string_format("waiting; %d more calls wait before it", ahead);
    if (atomic_load(&call->stats.running))
        return string_format("running; %llu bytes of output so far", bytes);
    return string_copy(is_in_open_session(call) ? "starting in the session"
                                                : "the engine starts the container");
}

/* Sends the progress of a call if it is due. `ahead` calls wait before it. Has the lock. */
static void send_due_progress(struct call *call, int ahead)
{
    const unsigned long long bytes = atomic_load(&call->stats.output_bytes);
    const long long quiet = clock_now_ms() - call->progress.last_sent;
    CLEANUP_FREE char *message = NULL;

    if (writer_full(call->calls->writer) ||
        quiet < (bytes > call->last_bytes ? OUTPUT_MS : PROGRESS_QUIET_MS))
        return;
    message = describe_progress(call, bytes, ahead);
    send_progress(call, message);
}

int calls_send_progress(struct calls *calls)
{
    int again = -1, ahead = 0;

    THREAD_LOCK(&calls->lock);
    for (struct call *call = calls->list; call; call = call->next) {
        if (call->progress.token && !call->closed && !call->questions.unclaimed) {
            again = PROGRESS_POLL_MS;
            send_due_progress(call, ahead);
        }
        ahead += !call->started && !call->closed;
    }
    return again;
}

void calls_end(struct calls *calls)
{
    THREAD_LOCK(&calls->lock);
    for (struct call *call = calls->list; call; call = call->next) {
        if (call->started || call->closed)
            continue;
        responder_result(&call->responder, tool_result_of_failure("the server is shutting down"));
        call->closed = true;
    }
}

bool calls_done(struct calls *calls)
{
    THREAD_LOCK(&calls->lock);
    return calls->unfinished == 0;
}

int calls_without_response(struct calls *calls)
{
    int count = 0;

    THREAD_LOCK(&calls->lock);
    for (const struct call *call = calls->list; call; call = call->next)
        count += !call->closed && !call->questions.unclaimed;
    return count;
}

void calls_release(struct calls *calls)
{
    strvec_release(&calls->sent_warnings);
    unclaimed_results_release(&calls->results);
    pthread_mutex_destroy(&calls->lock);
}

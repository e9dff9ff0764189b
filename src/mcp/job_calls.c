#include "mcp/job_calls.h"

#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/thread.h"
#include "mcp/job_call.h"
#include "mcp/tool_result.h"

static void *run_call(void *context)
{
    struct job_call *call = context;
    struct job_calls *calls = call->calls;

    job_call_run(call);
    THREAD_LOCK(&calls->lock);
    call->ended = true;
    notifier_raise(calls->changed);
    pthread_cond_signal(&calls->ended);
    return NULL;
}

static void free_call(struct job_call *call)
{
    responder_nothing(&call->responder);
    progress_release(&call->progress);
    plan_release(&call->plan);
    strvec_release(&call->warnings);
    notifier_release(&call->cancel);
    free(call);
}

/* Starts the thread. Takes over the call, and on success the plan. Has the lock. */
static int begin_call(struct job_calls *calls, struct job_call *call, struct error *error)
{
    if (calls->count >= JOB_CALLS_MAX || calls->bytes + call->bytes > JOB_CALLS_BYTES_MAX)
        return error_set(error, ERROR_ENGINE,
                         "too busy: %d calls start jobs or wait for them; try again when some have "
                         "ended",
                         calls->count);
    if (notifier_open(&call->cancel, error) != 0)
        return -1;
    if (thread_start(&call->thread, run_call, call) != 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot start a thread");
    call->next = calls->list;
    calls->list = call;
    calls->count++;
    calls->bytes += call->bytes;
    return 0;
}

static int submit(struct job_calls *calls, struct responder *responder, const json_t *params,
                  struct plan *plan, const struct wait_arguments *wait,
                  const struct strvec *warnings, struct error *error)
{
    struct job_call *call = memory_allocate(sizeof *call);
    int result;

    *call = (struct job_call){.calls = calls,
                              .responder = *responder,
                              .plan = *plan,
                              .bytes = plan_bytes(plan),
                              .wait = *wait,
                              .cancel = NOTIFIER_INIT};
    progress_init(&call->progress, params);
    strvec_push_all(&call->warnings, warnings);
    pthread_mutex_lock(&calls->lock); /* the thread needs it to respond */
    result = begin_call(calls, call, error);
    pthread_mutex_unlock(&calls->lock);
    if (result == 0) {
        *responder = (struct responder){.writer = NULL};
        *plan = (struct plan)PLAN_INIT;
        return 0;
    }
    call->responder = (struct responder){.writer = NULL};
    call->plan = (struct plan)PLAN_INIT;
    free_call(call);
    return -1;
}

/* ---- what the server calls */

void job_calls_init(struct job_calls *calls, struct service *service, const struct config *config,
                    struct result_store *store, const struct notifier *changed)
{
    pthread_condattr_t attributes;

    *calls = (struct job_calls){
        .service = service, .config = config, .store = store, .changed = changed};
    pthread_mutex_init(&calls->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&calls->ended, &attributes);
    pthread_condattr_destroy(&attributes);
}

int job_calls_start(struct job_calls *calls, struct responder *responder, const json_t *params,
                    struct plan *plan, const struct strvec *warnings, struct error *error)
{
    return submit(calls, responder, params, plan, &(struct wait_arguments){.seconds = 0}, warnings,
                  error);
}

int job_calls_wait(struct job_calls *calls, struct responder *responder, const json_t *params,
                   const struct wait_arguments *wait, const struct strvec *warnings,
                   struct error *error)
{
    struct plan none = PLAN_INIT;

    return submit(calls, responder, params, &none, wait, warnings, error);
}

void job_calls_cancel(struct job_calls *calls, const json_t *id)
{
    THREAD_LOCK(&calls->lock);
    for (struct job_call *call = calls->list; call; call = call->next) {
        if (call->closed || !json_equal(call->responder.id, id))
            continue;
        call->closed = true;
        notifier_raise(&call->cancel);
    }
}

/* Has the lock, which the thread no longer needs. */
static void free_ended(struct job_calls *calls)
{
    struct job_call **link = &calls->list;

    while (*link) {
        struct job_call *call = *link;

        if (!call->ended) {
            link = &call->next;
            continue;
        }
        *link = call->next;
        calls->count--;
        calls->bytes -= call->bytes;
        pthread_mutex_unlock(&calls->lock);
        pthread_join(call->thread, NULL);
        free_call(call);
        pthread_mutex_lock(&calls->lock);
        link = &calls->list;
    }
}

int job_calls_tend(struct job_calls *calls)
{
    int again = -1;

    THREAD_LOCK(&calls->lock);
    free_ended(calls);
    for (struct job_call *call = calls->list; call; call = call->next) {
        if (!call->progress.token || call->closed)
            continue;
        again = PROGRESS_POLL_MS;
        if (clock_now_ms() - call->progress.last_sent >= PROGRESS_QUIET_MS &&
            !writer_full(call->responder.writer))
            progress_send(&call->progress, &call->responder,
                          job_call_is_start(call) ? "starting the job" : "the job runs");
    }
    return again;
}

bool job_calls_done(struct job_calls *calls)
{
    bool done = true;

    THREAD_LOCK(&calls->lock);
    for (const struct job_call *call = calls->list; call; call = call->next)
        done &= call->ended;
    return done;
}

void job_calls_end(struct job_calls *calls)
{
    THREAD_LOCK(&calls->lock);
    for (struct job_call *call = calls->list; call; call = call->next) {
        if (!call->closed)
            responder_result(&call->responder,
                             tool_result_of_failure(
                                 job_call_is_start(call)
                                     ? "the server is shutting down"
                                     : "the server is shutting down; the job goes on, and can be "
                                       "waited for again"));
        call->closed = true;
        notifier_raise(&call->cancel);
    }
}

int job_calls_close(struct job_calls *calls, long long deadline)
{
    const struct timespec until = {deadline / 1000, deadline % 1000 * 1000000};
    bool late = false;

    pthread_mutex_lock(&calls->lock);
    for (free_ended(calls); calls->list && !late; free_ended(calls))
        late = pthread_cond_timedwait(&calls->ended, &calls->lock, &until) != 0;
    late = calls->list != NULL;
    pthread_mutex_unlock(&calls->lock);
    if (late)
        return -1;
    pthread_cond_destroy(&calls->ended);
    pthread_mutex_destroy(&calls->lock);
    return 0;
}

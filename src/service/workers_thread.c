#include "service/workers_thread.h"

#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/linux.h"
#include "base/thread.h"
#include "judge/judgement.h"
#include "run/enforcement_probe.h"
#include "run/sharing.h"

/* The pauses before a run is run again. */
enum { RETRY_PAUSE_MS = 500, RETRY_PAUSE_MAX_MS = 30000 };

/* Functions have the lock only if their comment says so. */

void workers_balance(struct workers *workers)
{
    if (workers->pauses_pool)
        pool_pause(workers->pool, run_queue_next_due(workers->queue, workers->active) >= 0 ||
                                      workers->active_count >= workers->limits.max_active ||
                                      workers->active_count >= workers->cores);
}

/* ---- one run */

/* The engine has done its part for the run. Has the lock. */
static void note_success(struct workers *workers, struct run_handle *handle)
{
    if (!handle->begun && concurrency_ramp_add_success(&workers->ramp))
        pthread_cond_signal(&workers->work);
    handle->begun = true;
}

/* The run calls this when its program has begun. */
static void on_begun(void *context)
{
    struct run_handle *handle = context;

    THREAD_LOCK(&handle->workers->lock);
    note_success(handle->workers, handle);
}

/* Whether the session may begin in a warm container, which may be used for an hour only. */
static bool may_be_warm(const struct run_session *session)
{
    return !session->instance && run_session_left_ms(session) <= POOL_MAX_USE_MS;
}

static struct instance *take_warm(struct workers *workers, const struct run *run)
{
    /* the program of an interactor mostly needs a container with FIFOs, which is made for it */
    return run->plan->interactive ? NULL : pool_take(workers->pool, run->plan, &run->limits);
}

static void execute_in_session(struct workers *workers, struct run_handle *handle,
                               struct judgement *judgement)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct run_session *session = session_begin_request(handle->session, &error);

    if (session)
        judgement_execute(judgement, session,
                          may_be_warm(session) ? take_warm(workers, &judgement->run) : NULL);
    else
        result_fail(judgement->run.result, &error);
}

static void execute_in_workspace(struct run_handle *handle, struct judgement *judgement)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct run_session *session = visit_begin(handle->visit, &judgement->run, &error);

    if (!session) {
        result_fail(judgement->run.result, &error);
        return;
    }
    judgement_execute(judgement, session, NULL);
    visit_end(handle->visit, &judgement->run);
}

/* Returns the container of a run that another one may share. Lines of several kinds may alternate.
 */
static void give_shared(struct workers *workers, struct run *run)
{
    enum { MORE_KINDS = 8 };
    const size_t max = (size_t)workers->limits.max_active + MORE_KINDS;

    if (sharing_end(run) && pool_give(workers->pool, run->instance, max))
        run->instance = NULL;
}

/* Runs the plan and fills in the result. */
static void execute(struct workers *workers, struct run_handle *handle, struct judgement *judgement,
                    struct result *result)
{
    CLEANUP(error_release) struct error unproven = ERROR_INIT;
    const struct run_callbacks *callbacks = &handle->callbacks;
    struct run_observer observer = callbacks->observer;

    observer.begun = on_begun;
    observer.context = handle;
    if (callbacks->started && handle->retries == 0)
        callbacks->started(callbacks->context);
    /* If that fails, so does judgement_begin(). */
    enforcement_ensure(workers->docker, &handle->plan, workers->proving, &handle->cancel,
                       &unproven);
    if (judgement_begin(judgement, workers->docker, &handle->plan, &observer, &handle->cancel,
                        workers->tools, result)) {
        if (handle->session)
            execute_in_session(workers, handle, judgement);
        else if (handle->visit)
            execute_in_workspace(handle, judgement);
        else
            judgement_execute(judgement, NULL, take_warm(workers, &judgement->run));
        give_shared(workers, &judgement->run);
    } else if (unproven.kind != ERROR_NONE) {
        result_fail(result, &unproven);
    }
    if (handle->session)
        session_end_request(handle->session, &handle->plan, result);
}

static void deliver(struct run_handle *handle, struct result *result)
{
    const size_t used = handle->bytes + (size_t)(result->bytes[0] + result->bytes[1]) +
                        artifacts_size(&result->artifacts);

    input_release(&handle->plan.input); /* it may be large */
    result->retries = handle->retries;
    strvec_push_all(&result->warnings, &handle->problems);
    handle->callbacks.done(handle->callbacks.context, result);
    result_release(result);
    linux_trim_memory(used);
}

/* Reports that the run is cleaned up, and frees its handle. */
static void finish(struct workers *workers, struct run_handle *handle, const char *problem)
{
    handle->callbacks.cleaned_up(handle->callbacks.context, problem);
    if (handle->session)
        session_leave(handle->session);
    if (handle->visit)
        visit_leave(handle->visit);
    run_handle_free(handle);
    THREAD_LOCK(&workers->lock);
    workers->cleaning_up--;
    if (workers->changed)
        notifier_raise(workers->changed);
    notifier_raise(&workers->idle);
}

/* Takes the handle out of the queue. Has the lock. */
static void start(struct workers *workers, struct run_handle *handle)
{
    run_queue_remove(&workers->queue, handle);
    workers->queued_count--;
    run_queue_append(&workers->active, handle);
    workers->active_count++;
    handle->round = workers->ramp.round;
    handle->begun = false;
    workers_balance(workers);
}

/* The run is no longer active, and another may start. Has the lock. */
static void end_active(struct workers *workers, struct run_handle *handle)
{
    run_queue_remove(&workers->active, handle);
    workers->active_count--;
    workers_balance(workers);
    pthread_cond_signal(&workers->work);
    if (workers->changed)
        notifier_raise(workers->changed);
}

/*
 * The run is no longer in the queue and not active, but its container may still be there. Has the
 * lock.
 */
static void begin_cleanup(struct workers *workers, const struct run_handle *handle)
{
    workers->bytes -= handle->bytes;
    workers->cleaning_up++;
}

static void retire(struct workers *workers, struct run_handle *handle)
{
    THREAD_LOCK(&workers->lock);
    end_active(workers, handle);
    begin_cleanup(workers, handle);
}

void workers_drop(struct workers *workers, struct run_handle *handle)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct result result = RESULT_INIT;

    owned_container_set_cancelled(&error);
    result_fail(&result, &error);
    deliver(handle, &result);
    finish(workers, handle, NULL);
}

/* ---- again after a failure of the engine */

/* Adjusts the number of active runs. */
static void note_result(struct workers *workers, struct run_handle *handle,
                        const struct result *result)
{
    THREAD_LOCK(&workers->lock);
    if (result->reason == REASON_ENGINE)
        concurrency_ramp_add_failure(&workers->ramp, handle->round);
    else if (result->container)
        note_success(workers, handle);
}

static long long retry_pause(int retries)
{
    long long pause = RETRY_PAUSE_MS;

    for (int i = 0; i < retries && pause < RETRY_PAUSE_MAX_MS; i++)
        pause *= 2;
    return pause < RETRY_PAUSE_MAX_MS ? pause : RETRY_PAUSE_MAX_MS;
}

/* Puts an active run into the queue again, or drops it if it was cancelled meanwhile. */
static void queue_again(struct workers *workers, struct run_handle *handle)
{
    bool cancelled;

    pthread_mutex_lock(&workers->lock);
    cancelled = workers->ending || notifier_raised(&handle->cancel);
    end_active(workers, handle);
    if (cancelled) {
        begin_cleanup(workers, handle);
    } else {
        handle->not_before = clock_now_ms() + retry_pause(handle->retries++);
        run_queue_append(&workers->queue, handle);
        workers->queued_count++;
    }
    pthread_mutex_unlock(&workers->lock);
    if (cancelled)
        workers_drop(workers, handle);
}

/* Removes what remains of a failed run. Takes the result. */
static void retry(struct workers *workers, struct run_handle *handle, struct judgement *judgement,
                  struct result *result)
{
    CLEANUP(error_release) struct error problem = ERROR_INIT;

    if (judgement_clean_up(judgement, &problem) != 0)
        strvec_push(&handle->problems, problem.message);
    result_release(result);
    queue_again(workers, handle);
}

/* A run that cannot be recorded has no result except the reason. */
static void record(struct workers *workers, const struct run_handle *handle, struct result *result)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (audit_add(workers->audit, workers->docker, &handle->plan, result, &handle->cancel,
                  &error) == 0)
        return;
    result_release(result);
    *result = (struct result)RESULT_INIT;
    result_fail(result, &error);
}

/* What they did would be done twice. */
static bool has_called_tools(const struct result *result)
{
    return result->tools && result->tools->begun > 0;
}

static void serve(struct workers *workers, struct run_handle *handle)
{
    CLEANUP(error_release) struct error problem = ERROR_INIT;
    struct result result = RESULT_INIT;
    struct judgement judgement;

    execute(workers, handle, &judgement, &result);
    note_result(workers, handle, &result);
    if ((result.reason == REASON_ENGINE || result.reason == REASON_JUDGE) && !handle->session &&
        !handle->visit && !has_called_tools(&result) &&
        handle->retries < workers->limits.max_retries) {
        retry(workers, handle, &judgement, &result);
        return;
    }
    record(workers, handle, &result);
    deliver(handle, &result);
    retire(workers, handle);
    judgement_clean_up(&judgement, &problem);
    finish(workers, handle, problem.message);
}

/* ---- the threads */

struct run_handle *workers_take_cancelled(struct workers *workers)
{
    struct run_handle *handle = run_queue_take(&workers->cancelled);

    begin_cleanup(workers, handle);
    return handle;
}

/* Has the lock. */
static bool may_start(const struct workers *workers)
{
    return workers->queue && workers->active_count < workers->ramp.allowed &&
           (!workers->may_start || workers->may_start(workers->context));
}

/* Does one task, if there is one at `now`. Has the lock, but releases it during the task. */
static bool work_once(struct workers *workers, long long now)
{
    void (*task)(struct workers *, struct run_handle *) = workers_drop;
    struct run_handle *handle = NULL;

    if (workers->cancelled) {
        handle = workers_take_cancelled(workers);
    } else if (may_start(workers) &&
               (handle = run_queue_due(workers->queue, workers->active, now))) {
        start(workers, handle);
        task = serve;
    } else {
        return false;
    }
    workers->idle_threads--;
    pthread_mutex_unlock(&workers->lock);
    task(workers, handle);
    pthread_mutex_lock(&workers->lock);
    workers->idle_threads++;
    return true;
}

/* Waits until there may be a task: at `now` there was none. Has the lock. */
static void wait_for_task(struct workers *workers, long long now)
{
    const long long due = run_queue_next_due(workers->queue, workers->active);
    const struct timespec end = {due / 1000, due % 1000 * 1000000};

    if (due > now)
        pthread_cond_timedwait(&workers->work, &workers->lock, &end);
    else
        pthread_cond_wait(&workers->work, &workers->lock);
}

void *workers_work(void *context)
{
    struct workers *workers = context;

    THREAD_LOCK(&workers->lock);
    while (!workers->ending) {
        const long long now = clock_now_ms();

        if (!work_once(workers, now))
            wait_for_task(workers, now);
    }
    return NULL;
}

#include "service/workers.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/linux.h"
#include "base/memory.h"
#include "run/run.h"
#include "run/submission.h"

/* The pauses before a run is run again. */
enum { RETRY_PAUSE_MS = 500, RETRY_PAUSE_MAX_MS = 30000 };

/* The pool makes no instances while runs wait or need all cores. Has the lock. */
static void balance(struct workers *workers)
{
    if (workers->pauses_pool)
        pool_pause(workers->pool, workers->queued_count > 0 ||
                                      workers->active_count >= workers->limits.max_active ||
                                      workers->active_count >= workers->cores);
}

/* ---- the threads; functions have the lock only if their comment says so */

/* The engine has done its part for the run. Has the lock. */
static void note_success(struct workers *workers, struct run_handle *handle)
{
    if (!handle->begun && ramp_add_success(&workers->ramp))
        pthread_cond_signal(&workers->work);
    handle->begun = true;
}

/* The run calls this when its program has begun. */
static void on_begun(void *context)
{
    struct run_handle *handle = context;

    pthread_mutex_lock(&handle->workers->lock);
    note_success(handle->workers, handle);
    pthread_mutex_unlock(&handle->workers->lock);
}

/* Runs the plan and fills in the result. */
static void execute(struct workers *workers, struct run_handle *handle, struct run *run,
                    struct result *result)
{
    const struct run_callbacks *callbacks = &handle->callbacks;
    struct run_observer observer = callbacks->observer;

    observer.begun = on_begun;
    observer.context = handle;
    if (callbacks->started && handle->retries == 0)
        callbacks->started(callbacks->context);
    if (run_begin(run, workers->docker, &handle->plan, &observer, &handle->cancel, result)) {
        const struct container_limits limits = submission_limits(run);

        run_execute(run, pool_take(workers->pool, &handle->plan, &limits));
    }
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
    run_handle_free(handle);
    pthread_mutex_lock(&workers->lock);
    workers->cleaning_up--;
    if (workers->changed)
        notifier_raise(workers->changed);
    notifier_raise(&workers->idle);
    pthread_mutex_unlock(&workers->lock);
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
    balance(workers);
}

/* The run is no longer active, and another may start. Has the lock. */
static void end_active(struct workers *workers, struct run_handle *handle)
{
    run_queue_remove(&workers->active, handle);
    workers->active_count--;
    balance(workers);
    pthread_cond_signal(&workers->work);
    if (workers->changed)
        notifier_raise(workers->changed);
}

/* The run is no longer in the queue and not active, but its container may still be there. */
static void begin_cleanup(struct workers *workers, const struct run_handle *handle)
{
    workers->bytes -= handle->bytes;
    workers->cleaning_up++;
}

static void retire(struct workers *workers, struct run_handle *handle)
{
    pthread_mutex_lock(&workers->lock);
    end_active(workers, handle);
    begin_cleanup(workers, handle);
    pthread_mutex_unlock(&workers->lock);
}

/* Delivers the result of a run that was cancelled before it started. */
static void drop(struct workers *workers, struct run_handle *handle)
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
    pthread_mutex_lock(&workers->lock);
    if (result->reason == REASON_ENGINE)
        ramp_add_failure(&workers->ramp, handle->round);
    else if (result->container)
        note_success(workers, handle);
    pthread_mutex_unlock(&workers->lock);
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
        drop(workers, handle);
}

/* Removes what remains of a failed run. Takes the result. */
static void retry(struct workers *workers, struct run_handle *handle, struct run *run,
                  struct result *result)
{
    CLEANUP(error_release) struct error problem = ERROR_INIT;

    if (run_clean_up(run, &problem) != 0)
        strvec_push(&handle->problems, problem.message);
    result_release(result);
    queue_again(workers, handle);
}

static void serve(struct workers *workers, struct run_handle *handle)
{
    CLEANUP(error_release) struct error problem = ERROR_INIT;
    struct result result = RESULT_INIT;
    struct run run;

    execute(workers, handle, &run, &result);
    note_result(workers, handle, &result);
    if (result.reason == REASON_ENGINE && handle->retries < workers->limits.max_retries) {
        retry(workers, handle, &run, &result);
        return;
    }
    deliver(handle, &result);
    retire(workers, handle);
    run_clean_up(&run, &problem);
    finish(workers, handle, problem.message);
}

/* ---- the threads */

/* Has the lock. */
static struct run_handle *take_cancelled(struct workers *workers)
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
    void (*task)(struct workers *, struct run_handle *) = drop;
    struct run_handle *handle = NULL;

    if (workers->cancelled) {
        handle = take_cancelled(workers);
    } else if (may_start(workers) && (handle = run_queue_due(workers->queue, now))) {
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
static void wait_for_work(struct workers *workers, long long now)
{
    const long long due = run_queue_next_due(workers->queue);
    const struct timespec end = {due / 1000, due % 1000 * 1000000};

    if (due > now)
        pthread_cond_timedwait(&workers->work, &workers->lock, &end);
    else
        pthread_cond_wait(&workers->work, &workers->lock);
}

static void *work(void *context)
{
    struct workers *workers = context;

    pthread_mutex_lock(&workers->lock);
    while (!workers->ending) {
        const long long now = clock_now_ms();

        if (!work_once(workers, now))
            wait_for_work(workers, now);
    }
    pthread_mutex_unlock(&workers->lock);
    return NULL;
}

/* ---- the interface */

int workers_open(struct workers *workers, const struct docker *docker, struct pool *pool,
                 const struct workers_limits *limits, struct error *error)
{
    pthread_condattr_t attributes;

    *workers = (struct workers){.docker = docker,
                                .pool = pool,
                                .limits = *limits,
                                .idle = NOTIFIER_INIT,
                                .cores = linux_cores(),
                                .max_threads = 2 * limits->max_active};
    if (notifier_open(&workers->idle, error) != 0)
        return -1;
    workers->threads = memory_allocate((size_t)workers->max_threads * sizeof *workers->threads);
    pthread_mutex_init(&workers->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC); /* as clock_now_ms() */
    pthread_cond_init(&workers->work, &attributes);
    pthread_condattr_destroy(&attributes);
    ramp_init(&workers->ramp, limits->max_active, limits->gradual);
    return 0;
}

/* Starts another thread if all threads are busy. Has the lock. */
static int start_thread(struct workers *workers, struct error *error)
{
    if (workers->idle_threads > workers->queued_count || workers->started == workers->max_threads)
        return 0;
    errno = pthread_create(&workers->threads[workers->started], NULL, work, workers);
    if (errno == 0) {
        workers->started++;
        workers->idle_threads++; /* from now on, not from when it first runs */
    } else if (workers->started == 0) {
        return error_set_errno(error, ERROR_SYSTEM, "cannot start a thread");
    }
    return 0;
}

/* The queue also holds, for a moment, runs that can start at once. Has the lock. */
static bool queue_has_room(const struct workers *workers)
{
    return workers->queued_count <
           workers->limits.max_queued + workers->limits.max_active - workers->active_count;
}

static int check_room(const struct workers *workers, size_t bytes, struct error *error)
{
    const struct workers_limits *limits = &workers->limits;

    if (!queue_has_room(workers))
        return error_set(error, ERROR_ENGINE,
                         "too busy: %d programs are running and %d are waiting, and no more are "
                         "allowed; try again when some have ended",
                         limits->max_active, limits->max_queued);
    if (limits->max_bytes > 0 && workers->bytes + bytes > limits->max_bytes)
        return error_set(
            error, ERROR_ENGINE,
            "too busy: with this one, the programs and files of all running and waiting requests "
            "would exceed %zu MiB; try again when some have ended",
            limits->max_bytes >> 20);
    return 0;
}

static int submit(struct workers *workers, struct run_handle *handle, struct error *error)
{
    if (workers->ending)
        return error_set(error, ERROR_CANCELLED, "cancelled before the program ran");
    if (check_room(workers, handle->bytes, error) != 0 || start_thread(workers, error) != 0)
        return -1;
    run_queue_append(&workers->queue, handle);
    workers->queued_count++;
    workers->bytes += handle->bytes;
    balance(workers);
    pthread_cond_signal(&workers->work);
    return 0;
}

int workers_submit(struct workers *workers, struct plan *plan,
                   const struct run_callbacks *callbacks, struct run_handle **handle,
                   struct error *error)
{
    struct run_handle *new = run_handle_new(plan, callbacks, error);
    int result;

    if (!new)
        return -1;
    new->workers = workers;
    pthread_mutex_lock(&workers->lock);
    result = submit(workers, new, error);
    if (result == 0 && handle)
        *handle = new;
    pthread_mutex_unlock(&workers->lock);
    if (result != 0) {
        *plan = new->plan; /* it is the caller's again */
        new->plan = (struct plan)PLAN_INIT;
        run_handle_free(new);
    }
    return result;
}

bool workers_have_room(struct workers *workers)
{
    bool room;

    pthread_mutex_lock(&workers->lock);
    room = queue_has_room(workers);
    pthread_mutex_unlock(&workers->lock);
    return room;
}

void workers_cancel(struct workers *workers, struct run_handle *handle)
{
    pthread_mutex_lock(&workers->lock);
    notifier_raise(&handle->cancel);
    if (run_queue_remove(&workers->queue, handle)) {
        workers->queued_count--;
        run_queue_append(&workers->cancelled, handle);
        balance(workers);
        pthread_cond_broadcast(&workers->work);
    }
    pthread_mutex_unlock(&workers->lock);
}

void workers_wake(struct workers *workers)
{
    pthread_mutex_lock(&workers->lock);
    pthread_cond_broadcast(&workers->work);
    pthread_mutex_unlock(&workers->lock);
}

void workers_end(struct workers *workers)
{
    pthread_mutex_lock(&workers->lock);
    workers->ending = true;
    run_queue_append(&workers->cancelled, workers->queue);
    workers->queue = NULL;
    workers->queued_count = 0;
    for (struct run_handle *handle = workers->active; handle; handle = handle->next)
        notifier_raise(&handle->cancel);
    pthread_cond_broadcast(&workers->work);
    while (workers->cancelled) {
        struct run_handle *handle = take_cancelled(workers);

        pthread_mutex_unlock(&workers->lock);
        drop(workers, handle);
        pthread_mutex_lock(&workers->lock);
    }
    pthread_mutex_unlock(&workers->lock);
}

bool workers_are_done(struct workers *workers)
{
    bool done;

    pthread_mutex_lock(&workers->lock);
    done = !workers->queue && !workers->active && !workers->cancelled && workers->cleaning_up == 0;
    pthread_mutex_unlock(&workers->lock);
    return done;
}

void workers_close(struct workers *workers)
{
    for (int i = 0; i < workers->started; i++)
        pthread_join(workers->threads[i], NULL);
    free(workers->threads);
    pthread_cond_destroy(&workers->work);
    pthread_mutex_destroy(&workers->lock);
    notifier_release(&workers->idle);
}

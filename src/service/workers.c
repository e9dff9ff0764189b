#include "service/workers.h"

#include <errno.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/linux.h"
#include "base/memory.h"
#include "run/run.h"

struct run_handle {
    struct plan plan; /* owned */
    struct run_callbacks callbacks;
    struct notifier cancel;
    size_t bytes;
    struct run_handle *next;
};

/* ---- lists of handles; all with the lock */

static void append(struct run_handle **list, struct run_handle *handle)
{
    while (*list)
        list = &(*list)->next;
    *list = handle;
}

/* Returns whether it was there. */
static bool unlink_handle(struct run_handle **list, struct run_handle *handle)
{
    while (*list && *list != handle)
        list = &(*list)->next;
    if (!*list)
        return false;
    *list = handle->next;
    handle->next = NULL;
    return true;
}

static struct run_handle *take_first(struct run_handle **list)
{
    struct run_handle *first = *list;

    unlink_handle(list, first);
    return first;
}

static void free_handle(struct run_handle *handle)
{
    plan_release(&handle->plan);
    notifier_release(&handle->cancel);
    free(handle);
}

/* The pool makes no instances while runs wait or need all cores. Has the lock. */
static void balance(struct workers *workers)
{
    if (workers->pauses_pool)
        pool_pause(workers->pool, workers->queued_count > 0 ||
                                      workers->active_count >= workers->limits.max_active ||
                                      workers->active_count >= workers->cores);
}

/* ---- the threads; functions have the lock only if their comment says so */

/* Runs the plan and fills in the result. Then frees the input, which may be large. */
static void execute(struct workers *workers, struct run_handle *handle, struct run *run,
                    struct result *result)
{
    const struct run_callbacks *callbacks = &handle->callbacks;

    if (callbacks->started)
        callbacks->started(callbacks->context);
    if (run_begin(run, workers->docker, &handle->plan, &callbacks->observer, &handle->cancel,
                  result))
        run_execute(run, pool_take(workers->pool, &handle->plan));
    input_release(&handle->plan.input);
}

static void deliver(struct run_handle *handle, struct result *result)
{
    const size_t used = handle->bytes + (size_t)(result->bytes[0] + result->bytes[1]) +
                        artifacts_size(&result->artifacts);

    handle->callbacks.done(handle->callbacks.context, result);
    result_release(result);
    linux_trim_memory(used);
}

/* Reports that the run is cleaned up, and frees its handle. */
static void finish(struct workers *workers, struct run_handle *handle, const char *problem)
{
    handle->callbacks.cleaned_up(handle->callbacks.context, problem);
    free_handle(handle);
    pthread_mutex_lock(&workers->lock);
    workers->cleaning_up--;
    if (workers->changed)
        notifier_raise(workers->changed);
    notifier_raise(&workers->idle);
    pthread_mutex_unlock(&workers->lock);
}

/* Has the lock. */
static struct run_handle *start_next(struct workers *workers)
{
    struct run_handle *handle = take_first(&workers->queue);

    workers->queued_count--;
    append(&workers->active, handle);
    workers->active_count++;
    balance(workers);
    return handle;
}

/* The run is no longer active, but its container may still be there. */
static void retire(struct workers *workers, struct run_handle *handle)
{
    pthread_mutex_lock(&workers->lock);
    unlink_handle(&workers->active, handle);
    workers->active_count--;
    workers->bytes -= handle->bytes;
    workers->cleaning_up++;
    balance(workers);
    pthread_cond_signal(&workers->work); /* another may start now */
    if (workers->changed)
        notifier_raise(workers->changed);
    pthread_mutex_unlock(&workers->lock);
}

static void serve(struct workers *workers, struct run_handle *handle)
{
    CLEANUP(error_release) struct error problem = ERROR_INIT;
    struct result result = RESULT_INIT;
    struct run run;

    execute(workers, handle, &run, &result);
    deliver(handle, &result);
    retire(workers, handle);
    run_clean_up(&run, &problem);
    finish(workers, handle, problem.message);
}

/* Has the lock. */
static struct run_handle *take_cancelled(struct workers *workers)
{
    struct run_handle *handle = take_first(&workers->cancelled);

    workers->bytes -= handle->bytes;
    workers->cleaning_up++;
    return handle;
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

/* Whether the first of the queue may start. Has the lock. */
static bool can_start(const struct workers *workers)
{
    return workers->queue && workers->active_count < workers->limits.max_active &&
           (!workers->may_start || workers->may_start(workers->context));
}

/* Does one task, if there is one. Has the lock, but releases it during the task. */
static bool work_once(struct workers *workers)
{
    void (*task)(struct workers *, struct run_handle *) = NULL;
    struct run_handle *handle = NULL;

    if (workers->cancelled) {
        handle = take_cancelled(workers);
        task = drop;
    } else if (can_start(workers)) {
        handle = start_next(workers);
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

static void *work(void *context)
{
    struct workers *workers = context;

    pthread_mutex_lock(&workers->lock);
    while (!workers->ending)
        if (!work_once(workers))
            pthread_cond_wait(&workers->work, &workers->lock);
    pthread_mutex_unlock(&workers->lock);
    return NULL;
}

/* ---- the interface */

int workers_open(struct workers *workers, const struct docker *docker, struct pool *pool,
                 const struct workers_limits *limits, struct error *error)
{
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
    pthread_cond_init(&workers->work, NULL);
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
    append(&workers->queue, handle);
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
    struct run_handle *new = memory_allocate(sizeof *new);
    int result;

    *new = (struct run_handle){
        .plan = *plan, .callbacks = *callbacks, .cancel = NOTIFIER_INIT, .bytes = plan_bytes(plan)};
    result = notifier_open(&new->cancel, error);
    pthread_mutex_lock(&workers->lock);
    if (result == 0)
        result = submit(workers, new, error);
    if (result == 0) {
        *plan = (struct plan)PLAN_INIT;
        if (handle)
            *handle = new;
    } else {
        notifier_release(&new->cancel); /* the plan is the caller's again */
        free(new);
    }
    pthread_mutex_unlock(&workers->lock);
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
    if (unlink_handle(&workers->queue, handle)) {
        workers->queued_count--;
        append(&workers->cancelled, handle);
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
    append(&workers->cancelled, workers->queue);
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

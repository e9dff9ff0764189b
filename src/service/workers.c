#include "service/workers.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/thread.h"
#include "service/workers_thread.h"

int workers_open(struct workers *workers, const struct docker *docker, struct pool *pool,
                 struct sessions *sessions, const struct workers_limits *limits,
                 struct error *error)
{
    pthread_condattr_t attributes;

    *workers = (struct workers){.docker = docker,
                                .pool = pool,
                                .sessions = sessions,
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
    concurrency_ramp_init(&workers->ramp, limits->max_active, limits->gradual);
    return 0;
}

/* Starts another thread if all threads are busy. Has the lock. */
static int start_thread(struct workers *workers, struct error *error)
{
    if (workers->idle_threads > workers->queued_count || workers->started == workers->max_threads)
        return 0;
    if (thread_start(&workers->threads[workers->started], workers_work, workers) == 0) {
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
    workers_balance(workers);
    pthread_cond_signal(&workers->work);
    return 0;
}

/* Gives the handle up; its plan is the caller's again. A session that it has opened is closed. */
static void give_back(struct workers *workers, struct run_handle *handle, struct plan *plan)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT;

    if (handle->session && handle->plan.session.open)
        sessions_close(workers->sessions, handle->plan.session.id, &ignored);
    if (handle->session)
        session_leave(handle->session);
    if (handle->visit)
        visit_leave(handle->visit);
    *plan = handle->plan;
    handle->plan = (struct plan)PLAN_INIT;
    run_handle_free(handle);
}

int workers_submit(struct workers *workers, struct plan *plan,
                   const struct run_callbacks *callbacks, struct run_handle **handle,
                   struct error *error)
{
    struct run_handle *new = run_handle_new(plan, callbacks, error);
    int result = 0;

    if (!new)
        return -1;
    new->workers = workers;
    if (plan_has_session(&new->plan) &&
        !(new->session = sessions_enter(workers->sessions, &new->plan, error)))
        result = -1;
    if (result == 0 && *new->plan.workspace &&
        !(new->visit = visits_enter(workers->visits, &new->plan, error)))
        result = -1;
    pthread_mutex_lock(&workers->lock);
    if (result == 0)
        result = submit(workers, new, error);
    if (result == 0 && handle)
        *handle = new;
    pthread_mutex_unlock(&workers->lock);
    if (result != 0)
        give_back(workers, new, plan);
    return result;
}

bool workers_have_room(struct workers *workers)
{
    THREAD_LOCK(&workers->lock);
    return queue_has_room(workers);
}

void workers_cancel(struct workers *workers, struct run_handle *handle)
{
    THREAD_LOCK(&workers->lock);
    notifier_raise(&handle->cancel);
    if (!run_queue_remove(&workers->queue, handle))
        return;
    workers->queued_count--;
    run_queue_append(&workers->cancelled, handle);
    workers_balance(workers);
    pthread_cond_broadcast(&workers->work);
}

void workers_cancel_session(struct workers *workers, const char *id)
{
    THREAD_LOCK(&workers->lock);
    for (struct run_handle *handle = workers->active; handle; handle = handle->next)
        if (handle->session && strcmp(handle->plan.session.id, id) == 0)
            notifier_raise(&handle->cancel);
}

void workers_wake(struct workers *workers)
{
    THREAD_LOCK(&workers->lock);
    pthread_cond_broadcast(&workers->work);
}

void workers_end(struct workers *workers)
{
    THREAD_LOCK(&workers->lock);
    workers->ending = true;
    run_queue_append(&workers->cancelled, workers->queue);
    workers->queue = NULL;
    workers->queued_count = 0;
    for (struct run_handle *handle = workers->active; handle; handle = handle->next)
        notifier_raise(&handle->cancel);
    pthread_cond_broadcast(&workers->work);
    while (workers->cancelled) {
        struct run_handle *handle = workers_take_cancelled(workers);

        pthread_mutex_unlock(&workers->lock);
        workers_drop(workers, handle);
        pthread_mutex_lock(&workers->lock);
    }
}

bool workers_are_done(struct workers *workers)
{
    THREAD_LOCK(&workers->lock);
    return !workers->queue && !workers->active && !workers->cancelled && workers->cleaning_up == 0;
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

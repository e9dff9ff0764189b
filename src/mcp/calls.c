#include "mcp/calls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/linux.h"
#include "base/memory.h"
#include "config/tool_arguments.h"
#include "mcp/tool_result.h"
#include "service/execute.h"

/*
 * How often progress is told: "every few seconds", and sooner when there is new output. LOOK is how
 * often it is looked for.
 */
enum { QUIET_MS = 3000, OUTPUT_MS = 500, LOOK_MS = 250 };

struct call *call_new(void)
{
    struct call *call = memory_allocate(sizeof *call);

    *call = (struct call){.plan = PLAN_INIT, .cancel = NOTIFIER_INIT};
    request_init(&call->request);
    call->request.stats = &call->stats;
    return call;
}

/* What only running needs, which may be much. */
static void free_request(struct call *call)
{
    plan_release(&call->plan);
    request_release(&call->request);
}

void call_free(struct call *call)
{
    responder_nothing(&call->responder);
    json_decref(call->token);
    free_request(call);
    notifier_release(&call->cancel);
    free(call);
}

void calls_init(struct calls *calls, const struct docker *docker, struct pool *warm,
                const struct config *config, struct writer *writer, struct result_store *store,
                const struct notifier *wake)
{
    *calls = (struct calls){
        .docker = *docker,
        .warm = warm,
        .config = config,
        .writer = writer,
        .store = store,
        .wake = wake,
        .most_queued = config->max_queued,
        .cores = linux_cores(),
    };
    calls->most_busy = config->max_concurrent > 0 ? config->max_concurrent : calls->cores;
    calls->most_threads = 2 * calls->most_busy;
    calls->threads = memory_allocate((size_t)calls->most_threads * sizeof *calls->threads);
    pthread_mutex_init(&calls->lock, NULL);
    pthread_cond_init(&calls->changed, NULL);
}

/* Takes the call out of a list. */
static void unlink_call(struct call **list, const struct call *call)
{
    while (*list != call)
        list = &(*list)->next;
    *list = call->next;
}

static void send_progress(struct calls *calls, struct call *call, const char *message)
{
    const long long now = clock_now_ms();
    const long long elapsed = now - call->begin;
    json_t *params = json_object();

    call->progress = elapsed > call->progress ? elapsed : call->progress + 1;
    call->told = now;
    call->told_bytes = atomic_load(&call->stats.output_bytes);
    json_object_set(params, "progressToken", call->token);
    json_object_set_new(params, "progress", json_real((double)call->progress / 1000));
    if (call->responder.revision->annotations)
        json_object_set_new(params, "message", json_string(message));
    responder_notify(calls->writer, "notifications/progress", params);
}

/* Runs the call, without the lock, and makes its answer. */
static json_t *run(struct calls *calls, struct call *call, struct instance **used)
{
    CLEANUP(result_release) struct result result = RESULT_INIT;

    execute(&calls->docker, calls->warm, &call->plan, &call->cancel, &result, used);
    result_name_subject(&result, tool_arguments_namer);
    free_request(call);
    call->returned = artifacts_size(&result.artifacts);
    if (calls->docker.trace) /* the steps of a call, then whose they were */
        fprintf(stderr, "isolator-mcp: container %s, warm: %s\n",
                result.container ? result.container : "none", result.warm ? "true" : "false");
    return tool_result_of_run(&result, call->responder.revision,
                              (size_t)calls->config->max_text_bytes, calls->store);
}

/* Making more sandboxes waits while calls wait or those that run need all cores. Has the lock. */
static void balance(struct calls *calls)
{
    pool_pause(calls->warm,
               calls->queued > 0 || calls->busy >= calls->most_busy || calls->busy >= calls->cores);
}

/* Behind the answer. Has the lock, but not meanwhile. */
static void clean_up(struct calls *calls, struct instance *used)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    calls->leaving++;
    pthread_mutex_unlock(&calls->lock);
    if (execute_clean_up(used, &error) != 0)
        fprintf(stderr, "isolator-mcp: warning: %s\n", error.message);
    pthread_mutex_lock(&calls->lock);
    calls->leaving--;
}

/* Takes the first call of the queue, sees it to its end and answers it. Has the lock. */
static void serve_next(struct calls *calls)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct call *call = calls->queue;
    struct instance *used = NULL;
    json_t *answer;
    bool opened;

    calls->queue = call->next;
    calls->queued--;
    call->next = calls->running;
    calls->running = call;
    calls->busy++;
    balance(calls);
    opened = notifier_open(&call->cancel, &error) == 0;
    if (opened && call->token)
        send_progress(calls, call, "starting a fresh sandbox");
    pthread_mutex_unlock(&calls->lock);
    answer = opened ? run(calls, call, &used) : tool_result_of_failure(error.message);
    linux_trim_memory(call->size + call->returned + (size_t)atomic_load(&call->stats.output_bytes));
    pthread_mutex_lock(&calls->lock);
    unlink_call(&calls->running, call);
    calls->busy--;
    calls->bytes -= call->size;
    if (call->cancelled)
        json_decref(answer);
    else
        responder_result(&call->responder, answer);
    call_free(call);
    balance(calls);
    pthread_cond_signal(&calls->changed); /* another may run now */
    if (used)
        clean_up(calls, used);
    notifier_raise(calls->wake);
}

/* A thread. */
static void *serve_calls(void *context)
{
    struct calls *calls = context;

    pthread_mutex_lock(&calls->lock);
    while (!calls->ending) {
        if (!calls->queue || calls->busy >= calls->most_busy) {
            pthread_cond_wait(&calls->changed, &calls->lock);
            continue;
        }
        if (writer_full(calls->writer)) { /* make nothing that nobody takes */
            pthread_mutex_unlock(&calls->lock);
            writer_wait(calls->writer);
            pthread_mutex_lock(&calls->lock);
            continue;
        }
        calls->idle--;
        serve_next(calls);
        calls->idle++;
    }
    pthread_mutex_unlock(&calls->lock);
    return NULL;
}

/* One more thread where all that there are have work. Has the lock. */
static int start_thread(struct calls *calls, struct error *error)
{
    if (calls->idle > calls->queued || calls->started == calls->most_threads)
        return 0;
    errno = pthread_create(&calls->threads[calls->started], NULL, serve_calls, calls);
    if (errno == 0) {
        calls->started++;
        calls->idle++; /* from now on, not from when it first runs */
    } else if (calls->started == 0) {
        return error_set_errno(error, ERROR_SYSTEM, "cannot start a thread");
    }
    return 0;
}

static int enqueue(struct calls *calls, struct call *call, struct error *error)
{
    struct call **last = &calls->queue;

    if (calls->queued >= calls->most_queued + calls->most_busy - calls->busy)
        return error_set(
            error, ERROR_ENGINE,
            "the server is busy: %d calls run and %d wait, which is all that it takes; "
            "try again when some have ended",
            calls->most_busy, calls->most_queued);
    if (calls->bytes + call->size > CALLS_BYTES_MAX)
        return error_set(error, ERROR_ENGINE,
                         "the server is busy: the calls that it has and this one are larger than "
                         "%d MiB, which is all that it takes; try again when some have ended",
                         CALLS_BYTES_MAX >> 20);
    if (start_thread(calls, error) != 0)
        return -1;
    while (*last)
        last = &(*last)->next;
    *last = call;
    calls->queued++;
    calls->bytes += call->size;
    call->begin = call->told = clock_now_ms();
    balance(calls);
    pthread_cond_signal(&calls->changed);
    return 0;
}

int calls_submit(struct calls *calls, struct call *call, struct error *error)
{
    int result;

    pthread_mutex_lock(&calls->lock);
    result = enqueue(calls, call, error);
    pthread_mutex_unlock(&calls->lock);
    return result;
}

/* Takes the call out of the queue unanswered. Has the lock. */
static void drop_queued(struct calls *calls, struct call *call)
{
    unlink_call(&calls->queue, call);
    calls->queued--;
    calls->bytes -= call->size;
    call_free(call);
    balance(calls);
}

void calls_cancel(struct calls *calls, const json_t *id)
{
    struct call *call, *next;

    pthread_mutex_lock(&calls->lock);
    for (call = calls->queue; call; call = next) {
        next = call->next;
        if (json_equal(call->responder.id, id))
            drop_queued(calls, call);
    }
    for (call = calls->running; call; call = call->next) {
        if (!json_equal(call->responder.id, id))
            continue;
        call->cancelled = true;
        notifier_raise(&call->cancel);
    }
    pthread_mutex_unlock(&calls->lock);
}

/* Tells what is due of one call; `before` are those that wait before it, -1 where it runs. */
static void tell(struct calls *calls, struct call *call, int before)
{
    const unsigned long long bytes = atomic_load(&call->stats.output_bytes);
    const long long quiet = clock_now_ms() - call->told;
    CLEANUP_FREE char *message = NULL;

    if (writer_full(calls->writer) || quiet < (bytes > call->told_bytes ? OUTPUT_MS : QUIET_MS))
        return;
    if (before >= 0)
        message = string_format("waiting; %d more calls wait before it", before);
    else if (atomic_load(&call->stats.running))
        message = string_format("running; %llu bytes of output so far", bytes);
    else
        message = string_copy("the engine starts the sandbox");
    send_progress(calls, call, message);
}

int calls_tell_progress(struct calls *calls)
{
    int again = -1, before = 0;

    pthread_mutex_lock(&calls->lock);
    for (struct call *call = calls->running; call; call = call->next) {
        if (!call->token || call->cancelled)
            continue;
        again = LOOK_MS;
        tell(calls, call, -1);
    }
    for (struct call *call = calls->queue; call; call = call->next, before++) {
        if (!call->token)
            continue;
        again = LOOK_MS;
        tell(calls, call, before);
    }
    pthread_mutex_unlock(&calls->lock);
    return again;
}

void calls_end(struct calls *calls)
{
    pthread_mutex_lock(&calls->lock);
    calls->ending = true;
    while (calls->queue) {
        struct call *call = calls->queue;

        responder_result(&call->responder, tool_result_of_failure("the server is shutting down"));
        drop_queued(calls, call);
    }
    for (struct call *call = calls->running; call; call = call->next)
        notifier_raise(&call->cancel);
    pthread_cond_broadcast(&calls->changed);
    pthread_mutex_unlock(&calls->lock);
}

bool calls_done(struct calls *calls)
{
    bool done;

    pthread_mutex_lock(&calls->lock);
    done = !calls->queue && !calls->running && calls->leaving == 0;
    pthread_mutex_unlock(&calls->lock);
    return done;
}

int calls_unanswered(struct calls *calls)
{
    int count = 0;

    pthread_mutex_lock(&calls->lock);
    for (const struct call *call = calls->running; call; call = call->next)
        count += !call->cancelled;
    pthread_mutex_unlock(&calls->lock);
    return count;
}

void calls_release(struct calls *calls)
{
    for (int i = 0; i < calls->started; i++)
        pthread_join(calls->threads[i], NULL);
    free(calls->threads);
    pthread_cond_destroy(&calls->changed);
    pthread_mutex_destroy(&calls->lock);
}

#include "cli/batch.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json_text.h"
#include "base/lines.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "cli/artifact_files.h"
#include "cli/progress.h"
#include "cli/safe_json.h"
#include "config/tool_arguments.h"
#include "service/execute.h"

enum { CHUNK = 65536 };

struct batch {
    const struct config *config;
    const struct docker *docker;
    const struct batch_options *options;
    struct pool *warm;
    sem_t turns; /* as many as lines may be at work */

    pthread_mutex_t reading; /* of the next four */
    struct lines lines;
    long long number; /* of lines that were taken */
    int read_error;   /* errno; 0: none */
    bool input_ended;
    atomic_llong requests, bytes; /* of the same lines; the blank ones are no requests */

    pthread_mutex_t writing; /* of stdout, stderr and these */
    bool output_ended;       /* nothing more is written */
    struct batch_totals *totals;
    struct progress progress;
};

/* One line of the input. */
struct line {
    long long number; /* from 1 */
    bool too_long;
    struct strbuf text;
};

/* ---- input */

/* Reads more; false at the end of the input, and where a signal came. */
static bool read_more(struct batch *batch)
{
    struct pollfd polled[] = {
        {batch->options->in, POLLIN, 0},
        {notifier_fd(signals_cancel()), POLLIN, 0},
    };
    char chunk[CHUNK];
    ssize_t length = -1;

    errno = EINTR;
    if (poll(polled, 2, -1) > 0 && polled[1].revents != 0)
        return false;
    if (polled[0].revents != 0)
        length = read(batch->options->in, chunk, sizeof chunk);
    if (length > 0) {
        lines_feed(&batch->lines, chunk, (size_t)length);
    } else if (length == 0) {
        lines_end(&batch->lines);
        batch->input_ended = true;
    } else if (errno != EINTR && errno != EAGAIN) {
        batch->read_error = errno;
        return false;
    }
    return true;
}

/* Takes the next line that is not blank. Has the lock of the input. */
static bool take_line(struct batch *batch, struct line *line)
{
    const char *text;
    size_t length;

    while (!notifier_raised(signals_cancel()) && batch->read_error == 0) {
        const enum lines_event event = lines_next(&batch->lines, &text, &length);

        if (event == LINES_NONE) {
            if (batch->input_ended || !read_more(batch))
                break;
            continue;
        }
        line->number = ++batch->number;
        atomic_fetch_add(&batch->bytes, (long long)length + 1);
        line->too_long = event == LINES_TOO_LONG;
        if (!line->too_long)
            strbuf_add(&line->text, text, length);
        if (line->too_long || !text_is_blank(strbuf_string(&line->text), length)) {
            atomic_fetch_add(&batch->requests, 1);
            return true;
        }
        strbuf_release(&line->text);
    }
    batch->input_ended = true;
    pool_stop(batch->warm);
    return false;
}

static bool next_line(struct batch *batch, struct line *line)
{
    bool there;

    pthread_mutex_lock(&batch->reading);
    there = take_line(batch, line);
    pthread_mutex_unlock(&batch->reading);
    return there;
}

/* ---- output */

/*
 * Writes to stdout or stderr, which may be a pipe that nobody reads for a while; a signal ends that. False
 * where not all was written, with errno of why: EINTR for a signal.
 */
static bool write_out(int fd, const char *text, size_t length)
{
    while (length > 0) {
        struct pollfd polled[] = {
            {fd, POLLOUT, 0},
            {notifier_fd(signals_cancel()), POLLIN, 0},
        };
        ssize_t written;

        if (poll(polled, 2, -1) < 0)
            continue; /* EINTR */
        errno = EINTR;
        if (polled[0].revents == 0)
            return false;
        written = write(fd, text, length < PIPE_BUF ? length : PIPE_BUF);
        if (written < 0 && errno != EINTR && errno != EAGAIN)
            return false;
        if (written > 0) {
            text += written;
            length -= (size_t)written;
        }
    }
    return true;
}

/* Nothing is written behind a line that could not be. Has the lock of the output. */
static void end_output(struct batch *batch, int reason)
{
    batch->output_ended = true;
    if (reason == EINTR)
        return;
    batch->totals->output_error = reason;
    notifier_raise(signals_cancel()); /* what runs, runs for nobody */
}

/* Prints one object as a line, which is taken over, and counts it. */
static void print(struct batch *batch, json_t *object, bool success)
{
    CLEANUP(strbuf_release) struct strbuf line = STRBUF_INIT;

    safe_json_dump(object, JSON_TEXT_FLAGS, safe_json_add, &line);
    strbuf_addch(&line, '\n');
    json_decref(object);
    pthread_mutex_lock(&batch->writing);
    if (!batch->output_ended && write_out(STDOUT_FILENO, line.data, line.length)) {
        batch->totals->done++;
        batch->totals->failed += !success;
    } else if (!batch->output_ended) {
        end_output(batch, errno);
    }
    pthread_mutex_unlock(&batch->writing);
}

/* Writes a line to stderr, if it takes it. Takes the string over; has the lock of the output. */
static void say(struct batch *batch, char *line)
{
    progress_clear(&batch->progress);
    write_out(STDERR_FILENO, line, strlen(line));
    free(line);
}

/* The lock of the input is not taken: figures that are a little old do here. */
static void tell(struct batch *batch, const struct line *line, const struct result *result)
{
    pthread_mutex_lock(&batch->writing);
    if (batch->options->verbose)
        say(batch, string_format("isolator: line %lld: container %s, warm: %s\n", line->number,
                                 result->container ? result->container : "none",
                                 result->warm ? "true" : "false"));
    progress_tell(&batch->progress, batch->totals->done, batch->totals->failed,
                  atomic_load(&batch->requests), atomic_load(&batch->bytes));
    pthread_mutex_unlock(&batch->writing);
}

/* ---- a line */

/* The request of a line. Takes `id` out of it, a new reference. */
static int read_request(const struct batch *batch, const struct line *line, json_t **id,
                        struct request *request, struct error *error)
{
    const size_t length = line->text.length;
    const char *text = strbuf_string(&line->text);
    json_error_t where;
    json_t *object = NULL;
    int result = -1;

    if (line->too_long)
        return error_set(error, ERROR_USAGE, "a line cannot be longer than %d MiB",
                         JSON_TEXT_MAX >> 20);
    if (json_text_count(text, length) > JSON_TEXT_VALUES_MAX)
        return error_set(error, ERROR_USAGE, "a line cannot have more than %d values",
                         JSON_TEXT_VALUES_MAX);
    object = json_text_parse(text, length, &where);
    if (!object) {
        CLEANUP_FREE char *shown = text_escape(where.text);

        error_set(error, ERROR_USAGE, "a line must be a JSON object in UTF-8; column %d: %s",
                  where.column, shown);
    } else if (!json_is_object(object)) {
        error_set(error, ERROR_USAGE, "a line must be a JSON object in UTF-8");
    } else {
        *id = json_incref(json_object_get(object, "id"));
        json_object_del(object, "id");
        result = tool_arguments_read(object, batch->config, request, error);
    }
    json_decref(object);
    return result;
}

static void write_artifacts(const struct batch *batch, const struct line *line,
                            struct result *result)
{
    CLEANUP_FREE char *below = string_format("%lld", line->number);

    if (batch->options->artifacts >= 0)
        artifact_files_write(batch->options->artifacts, below, batch->options->force, result);
}

/* Returns the sandbox that is left to be removed, or NULL; `size`: bytes that it took, about. */
static struct instance *serve(struct batch *batch, const struct line *line, size_t *size)
{
    CLEANUP(result_release) struct result result = RESULT_INIT;
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct instance *used = NULL;
    struct request request;
    json_t *id = NULL, *object = json_object(), *members;
    bool success;

    request_init(&request);
    if (read_request(batch, line, &id, &request, &error) == 0 &&
        plan_resolve(&plan, batch->config, &request, &error) == 0)
        execute(batch->docker, batch->warm, &plan, signals_cancel(), &result, &used);
    else
        result_fail(&result, &error);
    result_name_subject(&result, tool_arguments_namer);
    write_artifacts(batch, line, &result);
    success = result_success(&result);
    json_object_set_new(object, "id", id ? id : json_null());
    json_object_set_new(object, "line", json_integer(line->number));
    members = result_to_json(&result);
    json_object_update(object, members);
    json_decref(members);
    print(batch, object, success);
    tell(batch, line, &result);
    *size = line->text.length + (size_t)(result.bytes[0] + result.bytes[1]) +
            artifacts_size(&result.artifacts);
    request_release(&request);
    return used;
}

static void clean_up(struct batch *batch, struct instance *used)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *shown = NULL;

    if (execute_clean_up(used, &error) == 0)
        return;
    pthread_mutex_lock(&batch->writing);
    shown = text_escape(error.message);
    say(batch, string_format("isolator: warning: %s\n", shown));
    pthread_mutex_unlock(&batch->writing);
}

/* Serves one line; false where there is none. What is removed behind it needs no turn. */
static bool work_once(struct batch *batch)
{
    struct line line = {.text = STRBUF_INIT};
    struct instance *used = NULL;
    size_t size = 0;
    bool there;

    while (sem_wait(&batch->turns) != 0)
        ; /* EINTR */
    there = next_line(batch, &line);
    if (there)
        used = serve(batch, &line, &size);
    sem_post(&batch->turns);
    strbuf_release(&line.text);
    linux_trim_memory(size);
    if (used)
        clean_up(batch, used);
    return there;
}

static void *work(void *context)
{
    while (work_once(context))
        ;
    return NULL;
}

/* ---- all of them */

static int run_threads(struct batch *batch, struct error *error)
{
    const int most = 2 * batch->options->jobs; /* while half of them remove their sandboxes */
    pthread_t *threads = memory_allocate((size_t)most * sizeof *threads);
    int started = 0;

    while (started < most && (errno = pthread_create(&threads[started], NULL, work, batch)) == 0)
        started++;
    if (started == 0)
        error_set_errno(error, ERROR_SYSTEM, "cannot start a thread");
    for (int i = 0; i < started; i++)
        pthread_join(threads[i], NULL);
    free(threads);
    return started > 0 ? 0 : -1;
}

static int start(struct batch *batch, struct error *error)
{
    batch->warm = pool_open(batch->docker, batch->config, POOL_ON_DEMAND, NULL, error);
    if (!batch->warm)
        return -1;
    sem_init(&batch->turns, 0, (unsigned)batch->options->jobs);
    pthread_mutex_init(&batch->reading, NULL);
    pthread_mutex_init(&batch->writing, NULL);
    progress_begin(&batch->progress, batch->options->in, batch->options->quiet);
    pool_begin(batch->warm);
    return 0;
}

static void end(struct batch *batch)
{
    progress_end(&batch->progress, batch->totals->done, batch->totals->failed);
    pool_end(batch->warm);
    pool_close(batch->warm);
    lines_release(&batch->lines);
    sem_destroy(&batch->turns);
    pthread_mutex_destroy(&batch->reading);
    pthread_mutex_destroy(&batch->writing);
}

int batch_run(const struct config *config, const struct docker *docker,
              const struct batch_options *options, struct batch_totals *totals, struct error *error)
{
    struct batch batch = {
        .config = config,
        .docker = docker,
        .options = options,
        .lines = LINES_INIT(JSON_TEXT_MAX),
        .totals = totals,
    };
    int result;

    *totals = (struct batch_totals){.done = 0};
    if (start(&batch, error) != 0)
        return -1;
    result = run_threads(&batch, error);
    end(&batch);
    if (result == 0 && batch.read_error != 0) {
        errno = batch.read_error;
        result = error_set_errno(error, ERROR_INPUT, "cannot read the requests");
    }
    return result;
}

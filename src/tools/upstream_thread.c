#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/signal_name.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/thread.h"
#include "tools/server_process.h"
#include "tools/upstream_state.h"

/* How long a server whose pipe is closed has to end, so that its exit status is known. */
enum { CLOSED_MS = 500 };

/* ---- output of the server */

/* Keeps the end of standard error. */
static void keep_errors(struct strbuf *errors, const char *data, size_t length)
{
    strbuf_add(errors, data, length);
    if (errors->length > UPSTREAM_STDERR_BYTES)
        strbuf_drop(errors, errors->length - UPSTREAM_STDERR_BYTES);
}

static bool take_output(void *context, enum process_stream stream, const char *data, size_t length)
{
    struct upstream_session *session = context;
    enum lines_event event;
    const char *line;
    size_t line_length;

    if (session->process.exited) /* what it has left may write without end */
        kill(-session->process.pid, SIGKILL);
    if (stream == PROCESS_STDERR) {
        keep_errors(&session->errors, data, length);
        return true;
    }
    if (session->failure)
        return true;
    lines_feed(&session->lines, data, length);
    while ((event = lines_next(&session->lines, &line, &line_length)) != LINES_NONE) {
        if (event == LINES_TOO_LONG)
            upstream_fail(session, "has sent a line of more than %d MiB", UPSTREAM_LINE_MAX >> 20);
        else
            upstream_take_line(session, line, line_length);
    }
    return !session->needs_turn;
}

/* The last line of standard error that is not blank, escaped; "" if there is none; owned. */
static char *last_error_line(const struct strbuf *errors)
{
    const char *text = strbuf_string(errors);
    size_t end = errors->length, start;
    CLEANUP_FREE char *line = NULL;

    while (end > 0 && strchr(" \t\r\n", text[end - 1]))
        end--;
    for (start = end; start > 0 && text[start - 1] != '\n'; start--)
        ;
    line = string_format("%.*s", (int)(end - start), text + start);
    return text_escape_short(line, 300);
}

static void note_exit(struct upstream_session *session)
{
    const int status = session->process.status;
    const char *signal = status > 128 ? signal_name(status - 128) : NULL;
    CLEANUP_FREE char *line = last_error_line(&session->errors);
    CLEANUP_FREE char *quoted = upstream_quote(session, line);

    if (signal)
        upstream_fail(session, "has ended by %s%s", signal, quoted);
    else
        upstream_fail(session, "has ended with exit status %d%s", status, quoted);
}

/* ---- what callers want; with the lock */

static void fail_call(struct upstream *upstream, struct upstream_call *call, const char *why)
{
    upstream_end_call(upstream, call, NULL,
                      string_format("'%s.%s' failed: %s", upstream->server->name, call->tool, why));
}

static void expire_calls(struct upstream_session *session)
{
    struct upstream *upstream = session->upstream;
    const long long now = clock_now_ms();
    struct upstream_call *next;

    for (struct upstream_call *call = upstream->calls; call; call = next) {
        next = call->next;
        if (call->deadline > now)
            continue;
        if (call->id != 0)
            upstream_send_cancelled(session, call->id);
        upstream_end_call(upstream, call, NULL,
                          string_format("'%s.%s' has not ended after %d seconds",
                                        upstream->server->name, call->tool,
                                        upstream->limits.call_seconds));
    }
}

static void send_calls(struct upstream_session *session)
{
    struct upstream *upstream = session->upstream;
    struct upstream_call *next;

    for (struct upstream_call *call = upstream->calls; call; call = next) {
        next = call->next;
        if (call->id != 0)
            continue;
        if (session->process.queue.length + strlen(call->arguments) > UPSTREAM_QUEUE_BYTES)
            fail_call(upstream, call, "the server does not read its input");
        else
            upstream_send_call(session, call);
    }
}

/* Returns false if the server is to end. */
static bool follow_callers(struct upstream_session *session)
{
    struct upstream *upstream = session->upstream;
    bool closing;

    THREAD_LOCK(&upstream->lock);
    closing = upstream->closing;
    for (size_t i = 0; i < upstream->cancelled_count; i++)
        if (session->process.queue.length < UPSTREAM_REPLY_BYTES)
            upstream_send_cancelled(session, upstream->cancelled[i]);
    upstream->cancelled_count = 0;
    expire_calls(session);
    if (session->is_ready && !closing)
        send_calls(session);
    return !closing;
}

/* Ends all that wait, since the server has ended or cannot start. */
static void fail_all(struct upstream *upstream, const char *why)
{
    THREAD_LOCK(&upstream->lock);
    while (upstream->calls)
        fail_call(upstream, upstream->calls, why);
    upstream_end_listings(upstream, NULL, why);
    upstream_tools_release(&upstream->tools);
    upstream->is_current = false;
    upstream->cancelled_count = 0;
}

/* ---- a run of the server */

static void limit(long long *deadline, long long time)
{
    if (*deadline == 0 || time < *deadline)
        *deadline = time;
}

/* When there is something to do even if nothing happens; 0: never. */
static long long next_deadline(const struct upstream_session *session, long long start_deadline)
{
    struct upstream *upstream = session->upstream;
    long long deadline = session->is_ready ? 0 : start_deadline;

    if (session->is_ready && session->wants_list && session->list_id == 0)
        limit(&deadline, session->next_fetch);
    if (session->is_ready && session->list_id != 0)
        limit(&deadline, session->list_deadline);
    THREAD_LOCK(&upstream->lock);
    for (const struct upstream_call *call = upstream->calls; call; call = call->next)
        limit(&deadline, call->deadline);
    return deadline;
}

/* Until the first list, the whole start counts. */
static void check_list(struct upstream_session *session, long long start_deadline)
{
    const bool waits = !session->is_ready || session->list_id != 0;
    CLEANUP_FREE char *line = NULL, *quoted = NULL;

    if (!waits || clock_now_ms() < (session->is_ready ? session->list_deadline : start_deadline))
        return;
    line = last_error_line(&session->errors);
    quoted = upstream_quote(session, line);
    upstream_fail(session, "has not listed its tools within %d s%s",
                  session->upstream->times.start / 1000, quoted);
}

/* It cannot be told anything, or tells nothing, any more: most likely since it ends. */
static void check_pipes(struct upstream_session *session)
{
    const struct process_pump pump = {.sink = take_output,
                                      .context = session,
                                      .cancel = -1,
                                      .deadline = clock_now_ms() + CLOSED_MS};

    if (session->failure || (session->process.in >= 0 && session->process.out[PROCESS_STDOUT] >= 0))
        return;
    if (process_pump(&session->process, &pump) == PROCESS_EXITED)
        note_exit(session);
    else
        upstream_fail(session, "has closed its standard input or output");
}

/* Moves messages until the server has ended or must end: then there is a failure, unless closing.
 */
static void talk(struct upstream_session *session)
{
    struct upstream *upstream = session->upstream;
    const long long start_deadline = clock_now_ms() + upstream->times.start;
    struct process_pump pump = PROCESS_PUMP_INIT;

    pump.sink = take_output;
    pump.context = session;
    pump.cancel = notifier_fd(&upstream->wake);
    pump.needs_pipes = true;
    upstream_send_initialize(session);
    while (!session->failure) {
        notifier_clear(&upstream->wake);
        session->needs_turn = false;
        if (!follow_callers(session))
            return;
        if (session->is_ready && session->wants_list && session->list_id == 0 &&
            clock_now_ms() >= session->next_fetch)
            upstream_send_list(session, NULL);
        pump.deadline = next_deadline(session, start_deadline);
        if (process_pump(&session->process, &pump) == PROCESS_EXITED)
            note_exit(session);
        check_list(session, start_deadline);
        check_pipes(session);
    }
}

/* Waits for the end of the process, and drops its output. Returns whether it has ended. */
static bool wait_for_exit(struct upstream_session *session, int ms)
{
    const struct process_pump pump = {.cancel = -1, .deadline = clock_now_ms() + ms};

    return session->process.exited || process_pump(&session->process, &pump) == PROCESS_EXITED;
}

/* Ends the process, and all others of its group. */
static void end_process(struct upstream_session *session)
{
    const pid_t group = session->process.pid;
    const int grace = session->upstream->times.grace;

    process_close_stdin(&session->process);
    if (!wait_for_exit(session, grace)) {
        kill(-group, SIGTERM);
        wait_for_exit(session, grace);
    }
    kill(-group, SIGKILL);
    process_release(&session->process);
    server_guard_remove(session->upstream->guard, group);
}

static void run_server(struct upstream *upstream)
{
    struct upstream_session session = {
        .upstream = upstream, .process = PROCESS_INIT, .lines = LINES_INIT(UPSTREAM_LINE_MAX)};
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (server_process_start(&session.process, upstream->server, &error) != 0) {
        CLEANUP_FREE char *why = text_escape(error.message);

        fail_all(upstream, why);
        return;
    }
    server_guard_add(upstream->guard, session.process.pid);
    talk(&session);
    fail_all(upstream, session.failure ? session.failure : "isolator ends");
    end_process(&session);
    upstream_tools_release(&session.listed);
    lines_release(&session.lines);
    strbuf_release(&session.errors);
    free(session.failure);
    free(session.refusal);
}

/* ---- the thread */

/* Waits until a caller wants the server. Returns false if there will be no more callers. */
static bool wait_for_callers(struct upstream *upstream)
{
    for (;;) {
        struct pollfd polled = {.fd = notifier_fd(&upstream->wake), .events = POLLIN};
        bool wanted, closing;

        notifier_clear(&upstream->wake);
        pthread_mutex_lock(&upstream->lock);
        closing = upstream->closing;
        wanted = upstream->calls || upstream->listings;
        pthread_mutex_unlock(&upstream->lock);
        if (closing || wanted)
            return !closing;
        io_poll(&polled, 1, -1);
    }
}

void *upstream_thread(void *argument)
{
    struct upstream *upstream = argument;
    long long next_start = 0;

    while (wait_for_callers(upstream)) {
        if (clock_now_ms() < next_start) {
            fail_all(upstream, "the server has ended, and is started at most once in 10 seconds");
            continue;
        }
        next_start = clock_now_ms() + upstream->times.restart;
        run_server(upstream);
    }
    fail_all(upstream, "isolator ends");
    notifier_raise(&upstream->ended);
    return NULL;
}

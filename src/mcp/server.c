#include "mcp/server.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/diagnostics.h"
#include "base/io.h"
#include "base/json_text.h"
#include "base/lines.h"
#include "base/linux.h"
#include "base/signals.h"
#include "mcp/connection.h"
#include "mcp/dispatch.h"

/* The process exits this long after the end of stdin, even if something hangs. */
enum { EXIT_MS = 1800 };

enum { CHUNK = 65536 };

enum server_phase {
    SERVER_READING,  /* the client is connected */
    SERVER_DRAINING, /* stdin has ended; calls that were received may finish until the deadline */
    SERVER_ENDING    /* calls are cancelled; the process exits at the deadline at the latest */
};

struct server {
    struct connection connection;
    int in;
    struct notifier wake;
    struct lines lines;
    enum server_phase phase;
    bool input_ended;   /* everything that the client has sent was read */
    long long deadline; /* clock_now_ms(); of the phase, if it is not SERVER_READING */
    bool lines_pending; /* lines are not dispatched yet, because the writer was full */
};

/* The client sends nothing more. */
static void start_draining(struct server *server)
{
    if (server->phase != SERVER_READING)
        return;
    server->phase = SERVER_DRAINING;
    server->deadline = clock_now_ms() + SERVER_GRACE_MS;
    service_stop_pool(&server->connection.service);
}

/* Cancels all calls. The deadline counts from the end of stdin if that has come already. */
static void start_ending(struct server *server)
{
    if (server->phase == SERVER_ENDING)
        return;
    if (server->phase == SERVER_DRAINING)
        server->deadline += EXIT_MS - SERVER_GRACE_MS;
    else
        server->deadline = clock_now_ms() + EXIT_MS;
    server->phase = SERVER_ENDING;
    writer_stop_waiting(&server->connection.writer);
    dispatch_end_batch(&server->connection);
    calls_end(&server->connection.calls);
    job_calls_end(&server->connection.jobs);
    tool_list_end(&server->connection.tools);
    tool_searches_end(&server->connection.searches);
    subscriptions_end(&server->connection.subscriptions, &server->connection.writer);
}

/*
 * Enters the next phase if a signal arrived, the client has closed a stream, or the time to drain
 * is over. Called between two messages, because dispatching all lines may take long. Returns true
 * if the server is ending: then no further message is dispatched.
 */
static bool check_end(struct server *server)
{
    if (notifier_raised(signals_cancel()) || writer_broken(&server->connection.writer) != 0)
        start_ending(server);
    else if (server->phase == SERVER_READING && linux_writer_gone(server->in))
        start_draining(server);
    if (server->phase == SERVER_DRAINING && clock_now_ms() >= server->deadline)
        start_ending(server);
    return server->phase == SERVER_ENDING;
}

/* Dispatches the lines that were read, until the writer is full. */
static void dispatch_lines(struct server *server)
{
    enum lines_event event = LINES_NONE;
    const char *line;
    size_t length;

    server->lines_pending = false;
    while (!check_end(server)) {
        server->lines_pending = writer_full(&server->connection.writer);
        if (server->lines_pending)
            return;
        if (dispatch_pending(&server->connection))
            continue;
        event = lines_next(&server->lines, &line, &length);
        if (event == LINES_NONE)
            return;
        if (event == LINES_TOO_LONG)
            dispatch_too_long(&server->connection);
        else
            dispatch_line(&server->connection, line, length);
    }
}

static void read_input(struct server *server)
{
    char chunk[CHUNK];
    const ssize_t length = read(server->in, chunk, sizeof chunk);

    if (length > 0) {
        lines_feed(&server->lines, chunk, (size_t)length);
    } else if (length == 0 || (errno != EINTR && errno != EAGAIN)) {
        server->input_ended = true;
        lines_end(&server->lines);
        start_draining(server);
    }
    dispatch_lines(server);
}

/* Sends the progress that is due. Returns when to call it again, in milliseconds, or -1. */
static int send_progress(struct server *server)
{
    const int calls = calls_send_progress(&server->connection.calls);
    const int jobs = job_calls_tend(&server->connection.jobs);

    return calls < 0 || (jobs >= 0 && jobs < calls) ? jobs : calls;
}

/* How many milliseconds poll() may wait; -1: without a limit. */
static int wait_time(const struct server *server, int progress_due)
{
    long long remaining;

    if (server->phase == SERVER_READING)
        return progress_due;
    remaining = server->deadline - clock_now_ms();
    if (remaining < 0)
        remaining = 0;
    return progress_due >= 0 && progress_due < remaining ? progress_due : (int)remaining;
}

/* Whether all messages were read, and all calls have ended. */
static bool is_drained(struct server *server)
{
    return server->input_ended && !server->lines_pending &&
           tool_list_is_done(&server->connection.tools) &&
           tool_searches_done(&server->connection.searches) &&
           calls_done(&server->connection.calls) && job_calls_done(&server->connection.jobs);
}

/* One turn of the main loop. */
static void serve_once(struct server *server)
{
    const bool awaited = !server->input_ended;
    /*
     * While the writer is full, nothing is read. poll() then only reports, once, that the client
     * has closed stdin.
     */
    const bool full = server->lines_pending || writer_full(&server->connection.writer);
    const bool watched = awaited && (!full || server->phase == SERVER_READING);
    struct pollfd polled[] = {
        {watched ? server->in : -1, full ? 0 : POLLIN, 0},
        {notifier_fd(signals_cancel()), POLLIN, 0},
        {notifier_fd(&server->wake), POLLIN, 0},
    };

    if (io_poll(polled, 3, wait_time(server, send_progress(server))) < 0)
        return; /* the next turn sees the signal */
    if (polled[2].revents != 0) {
        notifier_clear(&server->wake);
        service_wake(&server->connection.service); /* the writer may have room again */
        tool_list_send(&server->connection.tools);
        tool_searches_serve(&server->connection.searches);
    }
    if (!check_end(server) && polled[0].revents != 0 && !full)
        read_input(server);
    if (server->lines_pending)
        dispatch_lines(server);
    if (server->phase == SERVER_DRAINING && is_drained(server))
        start_ending(server);
}

/* Starts no run while the writer is full. */
static bool may_start(void *context)
{
    return !writer_full(context);
}

static int start(struct server *server, const struct server_options *options, struct error *error)
{
    const struct service_options service = {
        .pool = POOL_AHEAD,
        .limits = {.max_queued = server->connection.config->max_queued,
                   .max_bytes = CALLS_BYTES_MAX},
        .has_tools = true,
        .trace = options->verbose ? docker_print_trace : NULL,
        .may_start = may_start,
        .context = &server->connection.writer,
        .changed = &server->wake,
    };

    if (notifier_open(&server->wake, error) != 0 ||
        service_open(&server->connection.service, server->connection.config, &service, error) != 0)
        return -1;
    result_store_init(&server->connection.store, server->connection.config->max_stored_bytes);
    calls_init(&server->connection.calls, &server->connection.service, server->connection.config,
               &server->connection.writer, &server->connection.store);
    job_calls_init(&server->connection.jobs, &server->connection.service, server->connection.config,
                   &server->connection.store, &server->wake);
    questions_init(&server->connection.questions, &server->connection.writer);
    subscriptions_init(&server->connection.subscriptions);
    for (size_t i = 0; i < server->connection.config->tool_count; i++)
        strvec_push(&server->connection.tool_servers, server->connection.config->tools[i].name);
    tool_searches_init(&server->connection.searches, server->connection.service.tools,
                       &server->connection.tool_servers,
                       (size_t)server->connection.config->max_text_bytes, &server->wake);
    if (tool_list_init(&server->connection.tools, server->connection.config,
                       &server->connection.service.docker, &server->wake, error) == 0 &&
        writer_start(&server->connection.writer, options->out, &server->wake, error) == 0)
        return 0;
    service_close(&server->connection.service, 0);
    return -1;
}

/* The engine takes too long: ends the process. The reaper removes the containers. */
static _Noreturn void exit_without_cleanup(struct server *server)
{
    const int count = calls_without_response(&server->connection.calls);

    if (count > 0)
        diagnostics_line("the engine took too long: %d calls got no response", count);
    linux_kill_children(); /* docker commands that still run could create something */
    _exit(0);
}

static void release(struct server *server)
{
    calls_release(&server->connection.calls);
    questions_release(&server->connection.questions);
    tool_list_release(&server->connection.tools);
    result_store_release(&server->connection.store);
    lines_release(&server->lines);
    subscriptions_release(&server->connection.subscriptions);
    strvec_release(&server->connection.tool_servers);
    notifier_release(&server->wake);
}

int server_run(const struct config *config, const struct server_options *options,
               struct error *error)
{
    struct server server = {
        .connection = {.config = config, .legacy = revision_legacy("")},
        .in = options->in,
        .wake = NOTIFIER_INIT,
        .lines = LINES_INIT(JSON_TEXT_MAX),
    };

    if (start(&server, options, error) != 0)
        return -1;
    while (server.phase != SERVER_ENDING)
        serve_once(&server);
    service_end(&server.connection.service);
    if (job_calls_close(&server.connection.jobs, server.deadline) != 0 ||
        service_close(&server.connection.service, server.deadline) != 0)
        exit_without_cleanup(&server);
    errno = writer_broken(&server.connection.writer);
    /* The client may have closed its end (EPIPE), and stdout may be closed (EBADF): no error. */
    if (errno != 0 && errno != EPIPE && errno != EBADF)
        error_set_errno(error, ERROR_SYSTEM, "cannot write the responses");
    if (writer_finish(&server.connection.writer, server.deadline) != 0)
        _exit(0); /* its thread is blocked in write() */
    release(&server);
    return error->kind == ERROR_NONE ? 0 : -1;
}

/*
 * Fuzz target: the reader of messages. The input is what a client writes. These properties are
 * checked:
 *
 * - The bytes are cut into the same lines however they arrive. A line that is too long is reported
 * once.
 * - Each request gets exactly one response, with its id. An invalid message gets one without an id.
 * A cancelled request gets at most one. Nothing else gets a response.
 * - Each line of the output is one JSON object or an array of them, without a line break and not
 * longer than MESSAGE_MAX. Each object is a valid response or notification of JSON-RPC.
 *
 * The server is the real one without its threads. Nothing empties the writer, so that the output
 * can be checked. The calls have no workers, so that no process starts: calls wait until they are
 * cancelled or the server ends, and more than three are refused.
 */
#include "fuzz.h"

#include <sched.h>

#include "base/json_text.h"
#include "base/lines.h"
#include "mcp/connection.h"
#include "mcp/dispatch.h"
#include "mcp/jsonrpc.h"
#include "service/sessions.h"

/* Lines are cut at these sizes, since inputs of 64 MB would make this slow. */
enum { SHORT_LINE = 40, LONG_LINE = 1024 };

static struct config config;

/* The responses that the client still waits for. */
struct ledger {
    json_t *open;    /* owned; the ids of requests */
    size_t nameless; /* expected responses without an id */
    bool cancelled;  /* some requests may get no response */
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    json_object_seed(1); /* otherwise the order of members differs from run to run */
    fuzz_configure(&config, "{\"maxQueued\": 3}");
    return 0;
}

/* How much of the data arrives at once. */
static size_t chunk_size(const uint8_t *data, size_t left)
{
    const size_t size = 1 + data[0] % 64;

    return size < left ? size : left;
}

/* ---- lines */

/* Finds the next line from *at on in the simplest way. */
static enum lines_event next_simply(const char *text, size_t size, size_t *at, size_t *start,
                                    size_t *length)
{
    const char *newline = *at < size ? memchr(text + *at, '\n', size - *at) : NULL;
    const size_t end = newline ? (size_t)(newline - text) : size;

    if (*at >= size)
        return LINES_NONE;
    *start = *at;
    *length = end - *at;
    *at = end + 1;
    if (*length > SHORT_LINE)
        return LINES_TOO_LONG;
    if (*length > 0 && text[end - 1] == '\r')
        --*length;
    return LINES_LINE;
}

/* Compares the next lines with the text; *at is the position in it. */
static void compare_lines(struct lines *lines, const char *text, size_t size, size_t *at)
{
    enum lines_event event;
    const char *line;
    size_t length, start, expected;

    while ((event = lines_next(lines, &line, &length)) != LINES_NONE) {
        fuzz_require(event == next_simply(text, size, at, &start, &expected),
                     "event %d before byte %zu of %zu", event, *at, size);
        if (start == 0 && expected >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
            start += 3; /* the byte order mark */
            expected -= 3;
        }
        if (event == LINES_LINE)
            fuzz_require(length == expected && memcmp(line, text + start, length) == 0,
                         "'%.*s' instead of '%.*s'", (int)length, line, (int)expected,
                         text + start);
    }
}

static void check_lines(const uint8_t *data, size_t size)
{
    struct lines lines = LINES_INIT(SHORT_LINE);
    const char *text = (const char *)data;
    size_t at = 0, step;

    for (size_t fed = 0; fed < size; fed += step) {
        step = chunk_size(data + fed, size - fed);
        lines_feed(&lines, text + fed, step);
        compare_lines(&lines, text, size, &at);
    }
    lines_end(&lines);
    compare_lines(&lines, text, size, &at);
    fuzz_require(at >= size, "only %zu of %zu bytes came out as lines", at, size);
    lines_release(&lines);
}

/* ---- input */

static void expect_message(struct ledger *ledger, json_t *value)
{
    struct message message;

    jsonrpc_read(&message, value);
    if (message.kind == MESSAGE_NOTIFICATION)
        ledger->cancelled |= strcmp(message.method, "notifications/cancelled") == 0;
    else if (message.kind != MESSAGE_RESPONSE && message.id)
        json_array_append(ledger->open, message.id);
    else if (message.kind != MESSAGE_RESPONSE)
        ledger->nameless++;
}

/* Notes which responses the line must get. */
static void expect_line(struct ledger *ledger, const struct connection *connection,
                        const char *line, size_t length)
{
    json_t *value = json_text_parse(line, length, NULL);
    const size_t count = json_array_size(value);
    bool blank = true;
    size_t i;

    for (i = 0; i < length; i++)
        blank = blank && (line[i] == ' ' || line[i] == '\t' || line[i] == '\r');
    if (!value)
        ledger->nameless += !blank;
    else if (!json_is_array(value))
        expect_message(ledger, value);
    else if (!connection->legacy->batches || count == 0 || count > 100)
        ledger->nameless++;
    else
        for (i = 0; i < count; i++)
            expect_message(ledger, json_array_get(value, i));
    json_decref(value);
}

/* ---- output */

static void check_response(struct ledger *ledger, const json_t *message, const char *line)
{
    const json_t *id = json_object_get(message, "id");
    const json_t *result = json_object_get(message, "result");
    const json_t *error = json_object_get(message, "error");
    const size_t members = id ? 3 : 2;
    size_t i = 0;

    fuzz_require(json_object_size(message) == members && !result != !error, "%s", line);
    fuzz_require(json_is_object(result ? result : error), "%s", line);
    if (error)
        fuzz_require(json_is_integer(json_object_get(error, "code")) &&
                         json_string_length(json_object_get(error, "message")) > 0,
                     "%s", line);
    if (!id) {
        fuzz_require(error && ledger->nameless-- > 0, "unexpected response: %s", line);
        return;
    }
    while (i < json_array_size(ledger->open) && !json_equal(json_array_get(ledger->open, i), id))
        i++;
    fuzz_require(json_array_remove(ledger->open, i) == 0, "unexpected response: %s", line);
}

static void check_message(struct ledger *ledger, const json_t *message, const char *line)
{
    const json_t *method = json_object_get(message, "method");
    const char *version = json_string_value(json_object_get(message, "jsonrpc"));

    fuzz_require(version && strcmp(version, "2.0") == 0, "%s", line);
    if (method)
        fuzz_require(json_is_string(method) && json_object_size(message) == 3 &&
                         json_is_object(json_object_get(message, "params")),
                     "%s", line);
    else
        check_response(ledger, message, line);
}

static void check_line(struct ledger *ledger, const char *line, size_t length)
{
    json_t *value = json_loadb(line, length, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);

    fuzz_require(value, "not JSON, %zu bytes: '%s'", length, line);
    fuzz_require(length < MESSAGE_MAX, "a line of %zu bytes", length);
    if (json_is_object(value))
        check_message(ledger, value, line);
    fuzz_require(json_is_object(value) || json_array_size(value) > 0, "%s", line);
    for (size_t i = 0; i < json_array_size(value); i++)
        check_message(ledger, json_array_get(value, i), line);
    json_decref(value);
}

/* Checks and removes everything that waits to be written. */
static void check_writer(struct ledger *ledger, struct writer *writer)
{
    struct strbuf *text = &writer->waiting;
    size_t length;

    for (size_t at = 0; at < text->length; at += length + 1) {
        const char *line = text->data + at;
        char *newline = memchr(text->data + at, '\n', text->length - at);

        fuzz_require(newline, "a line without end: '%s'", line);
        *newline = '\0';
        length = (size_t)(newline - line);
        check_line(ledger, line, length);
    }
    strbuf_release(&writer->waiting);
    writer->unwritten = 0;
}

/* ---- the server */

/* The part of server.c's state that is needed here. */
struct server {
    struct connection connection;
    struct lines lines;
    struct notifier wake;
};

static void start(struct server *server)
{
    static const struct docker docker = {.command = "/bin/false"};
    const struct workers_limits limits = {.max_active = 1, .max_queued = config.max_queued};
    struct service *service = &server->connection.service;
    struct error error = ERROR_INIT;

    *server = (struct server){
        .connection = {.config = &config,
                       .legacy = revision_legacy(""),
                       /* an engine that did not say which images there are */
                       .tools = {.config = &config, .asked = true, .answered = true},
                       .writer = {.fd = -1, .wake = &server->wake}},
        .lines = LINES_INIT(LONG_LINE),
        .wake = NOTIFIER_INIT,
    };
    pthread_mutex_init(&server->connection.tools.lock, NULL);
    pthread_mutex_init(&server->connection.writer.lock, NULL);
    pthread_cond_init(&server->connection.writer.changed, NULL);
    result_store_init(&server->connection.store, config.max_stored_bytes);
    fuzz_require(
        notifier_open(&service->sessions_ended, &error) == 0 &&
            (service->sessions =
                 sessions_new(&config.sessions, &service->sessions_ended, &error)) != NULL &&
            workers_open(&service->workers, &docker, NULL, service->sessions, &limits, &error) == 0,
        "%s", error.message);
    server->connection.service.workers.max_threads = 0;
    calls_init(&server->connection.calls, &server->connection.service, &config,
               &server->connection.writer, &server->connection.store);
    subscriptions_init(&server->connection.subscriptions);
}

static void dispatch_lines(struct server *server, struct ledger *ledger)
{
    enum lines_event event;
    const char *line;
    size_t length;

    while ((event = lines_next(&server->lines, &line, &length)) != LINES_NONE) {
        if (event == LINES_TOO_LONG) {
            ledger->nameless++;
            dispatch_too_long(&server->connection);
        } else {
            expect_line(ledger, &server->connection, line, length);
            dispatch_line(&server->connection, line, length);
            while (dispatch_pending(&server->connection))
                ;
        }
        check_writer(ledger, &server->connection.writer);
    }
}

/* Ends the server as server.c does. */
static void end(struct server *server, struct ledger *ledger)
{
    calls_end(&server->connection.calls);
    subscriptions_end(&server->connection.subscriptions, &server->connection.writer);
    workers_end(&server->connection.service.workers);
    sessions_end(server->connection.service.sessions);
    while (!sessions_have_ended(server->connection.service.sessions))
        sched_yield();
    workers_close(&server->connection.service.workers);
    sessions_free(server->connection.service.sessions);
    notifier_release(&server->connection.service.sessions_ended);
    fuzz_require(calls_done(&server->connection.calls), "calls remain at the end");
    calls_release(&server->connection.calls);
    check_writer(ledger, &server->connection.writer);
    result_store_release(&server->connection.store);
    lines_release(&server->lines);
    subscriptions_release(&server->connection.subscriptions);
    pthread_cond_destroy(&server->connection.writer.changed);
    pthread_mutex_destroy(&server->connection.writer.lock);
    pthread_mutex_destroy(&server->connection.tools.lock);
}

static void check_server(const uint8_t *data, size_t size)
{
    struct ledger ledger = {.open = json_array()};
    struct server server;
    size_t step;

    start(&server);
    for (size_t fed = 0; fed < size; fed += step) {
        step = chunk_size(data + fed, size - fed);
        lines_feed(&server.lines, (const char *)data + fed, step);
        dispatch_lines(&server, &ledger);
    }
    lines_end(&server.lines);
    dispatch_lines(&server, &ledger);
    end(&server, &ledger);
    fuzz_require(ledger.nameless == 0 && (ledger.cancelled || json_array_size(ledger.open) == 0),
                 "unanswered: %zu requests and %zu lines", json_array_size(ledger.open),
                 ledger.nameless);
    json_decref(ledger.open);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check_lines(data, size);
    check_server(data, size);
    return 0;
}

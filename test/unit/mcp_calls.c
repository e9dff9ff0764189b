#include "mcp_client.h"

#include <poll.h>
#include <signal.h>

#include "base/memory.h"
#include "mcp/calls.h"
#include "mcp/jsonrpc.h"

/*
 * Calls of a server whose docker command creates no container. With set_up_waiting(), each `docker
 * run` writes a line into the FIFO "begun" and ends after it has read a line from the FIFO
 * "resume". The fixture keeps both open.
 */
struct fixture {
    char *directory, *command;
    int begun, resume;
    struct config config;
    struct notifier changed;
    struct service service;
    bool closed;
    struct client client;
    struct result_store store;
    struct calls calls;
};

static int open_fifo(const struct fixture *fixture, const char *name)
{
    CLEANUP_FREE char *path = path_in(fixture->directory, name);
    int fd;

    assert_int_equal(mkfifo(path, 0600), 0);
    fd = open(path, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    return fd;
}

static void set_up_script(struct fixture *fixture, const char *more, const char *script)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct service_options options = {.limits = {.max_bytes = CALLS_BYTES_MAX},
                                      .changed = &fixture->changed};

    *fixture = (struct fixture){.directory = temp_create()};
    fixture->begun = open_fifo(fixture, "begun");
    fixture->resume = open_fifo(fixture, "resume");
    fixture->command = script_in(fixture->directory, "docker", script);
    set_up_config(&fixture->config, more);
    free(fixture->config.container_command);
    fixture->config.container_command = string_copy(fixture->command);
    fixture->config.engine_timeout = 600; /* a `docker run` that waits does not time out */
    options.limits.max_queued = fixture->config.max_queued;
    assert_int_equal(notifier_open(&fixture->changed, &error), 0);
    assert_int_equal(service_open(&fixture->service, &fixture->config, &options, &error), 0);
    client_open(&fixture->client);
    result_store_init(&fixture->store, 16 << 20);
    calls_init(&fixture->calls, &fixture->service, &fixture->config, &fixture->client.writer,
               &fixture->store);
}

/* `docker run` fails at once. */
static void set_up(struct fixture *fixture, const char *more)
{
    set_up_script(fixture, more, "exit 125");
}

static void set_up_waiting(struct fixture *fixture, const char *more)
{
    set_up_script(fixture, more,
                  "[ \"$1\" = run ] || exit 1\necho >begun\nread -r line <resume\nexit 125");
}

/* Waits until one more `docker run` runs. */
static void wait_until_begun(const struct fixture *fixture)
{
    struct pollfd polled = {fixture->begun, POLLIN, 0};
    char line;

    if (poll(&polled, 1, CLIENT_PATIENCE_MS) != 1)
        fail_msg("nothing has begun");
    assert_int_equal(read(fixture->begun, &line, 1), 1);
}

/* How many calls run. */
static int busy(struct fixture *fixture)
{
    int count = 0;

    pthread_mutex_lock(&fixture->calls.lock);
    for (const struct call *call = fixture->calls.list; call; call = call->next)
        count += call->started;
    pthread_mutex_unlock(&fixture->calls.lock);
    return count;
}

static bool has_begun(const struct fixture *fixture)
{
    struct pollfd polled = {fixture->begun, POLLIN, 0};

    return poll(&polled, 1, 0) == 1;
}

/* Lets `count` of them end. */
static void let_end(const struct fixture *fixture, int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(write(fixture->resume, "\n", 1), 1);
}

static void wait_until_done(struct fixture *fixture)
{
    while (!calls_done(&fixture->calls)) {
        struct pollfd polled = {notifier_fd(&fixture->changed), POLLIN, 0};

        if (poll(&polled, 1, CLIENT_PATIENCE_MS) != 1)
            fail_msg("the main loop was not woken");
        notifier_clear(&fixture->changed);
    }
}

/*
 * Waits for all calls and tears the fixture down. Returns the lines that were sent, a new
 * reference.
 */
static json_t *tear_down(struct fixture *fixture)
{
    wait_until_done(fixture);
    calls_end(&fixture->calls);
    if (!fixture->closed)
        assert_int_equal(service_close(&fixture->service, 0), 0);
    notifier_release(&fixture->changed);
    calls_release(&fixture->calls);
    result_store_release(&fixture->store);
    config_release(&fixture->config);
    close(fixture->begun);
    close(fixture->resume);
    free(fixture->command);
    temp_remove(fixture->directory);
    return client_lines(&fixture->client);
}

/* Likewise, and checks the ids of the responses in their order. */
static void check_answered(struct fixture *fixture, const char *expected)
{
    CLEANUP(strbuf_release) struct strbuf seen = STRBUF_INIT;
    json_t *lines = tear_down(fixture);
    json_t *line;
    size_t i;

    json_array_foreach(lines, i, line) {
        CLEANUP_FREE char *id = json_dumps(json_object_get(line, "id"), JSON_ENCODE_ANY);
        strbuf_addf(&seen, "%s%s", i > 0 ? " " : "", id ? id : "-");
    }
    json_decref(lines);
    assert_string_equal(strbuf_string(&seen), expected);
}

/* A call by a request with this id (a JSON text), and with this progress token or NULL. */
static struct call *new_call(struct fixture *fixture, const char *revision, const char *id,
                             const char *token)
{
    struct call *call = call_new();
    json_t *value = json_of(id);

    responder_init(&call->responder, &fixture->client.writer, revision_legacy(revision), value,
                   NULL);
    call->progress.token = token ? json_of(token) : NULL;
    json_decref(value);
    return call;
}

/* The plan for a program of `size` bytes. */
static void make_plan(struct fixture *fixture, size_t size, struct plan *plan)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(request_release) struct request request;

    request_init(&request);
    request.language = string_copy("py");
    request.input.code = memory_allocate(size);
    memset(request.input.code, ' ', size);
    request.input.code_length = size;
    assert_int_equal(plan_resolve(plan, &fixture->config, &request, &error), 0);
}

static int submit_sized(struct fixture *fixture, struct call *call, size_t size,
                        struct error *error)
{
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;

    make_plan(fixture, size, &plan);
    return calls_submit(&fixture->calls, call, &plan, error);
}

static void submit_call(struct fixture *fixture, struct call *call)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const int result = submit_sized(fixture, call, 100, &error);

    assert_no_error(&error);
    assert_int_equal(result, 0);
}

static void submit(struct fixture *fixture, const char *id)
{
    submit_call(fixture, new_call(fixture, "2025-11-25", id, NULL));
}

/* Checks that a call of this many bytes is refused with this message. */
static void check_busy(struct fixture *fixture, size_t size, const char *why)
{
    struct error error = ERROR_INIT;
    struct call *call = new_call(fixture, "2025-11-25", "\"busy\"", NULL);
    CLEANUP_FREE char *message = string_format("too busy: %s; try again when some have ended", why);

    assert_int_equal(submit_sized(fixture, call, size, &error), -1);
    assert_error(&error, ERROR_ENGINE, message);
    call_free(call); /* without a response */
}

/* One worker, which runs call 1; the configuration has these further members (", ..." or ""). */
static void set_up_busy(struct fixture *fixture, const char *members)
{
    CLEANUP_FREE char *more = string_format("{\"maxConcurrent\": 1%s}", members);

    set_up_waiting(fixture, more);
    submit(fixture, "1");
    wait_until_begun(fixture);
}

static void cancel(struct fixture *fixture, const char *id)
{
    json_t *value = json_of(id);

    calls_cancel(&fixture->calls, value);
    json_decref(value);
}

/* ---- responses */

CASE(calls__empty_call_is_freed)
{
    struct call *call = call_new();

    assert_null(call->progress.token);
    call_free(call);
}

CASE(calls__nothing_to_do)
{
    struct fixture fixture;

    set_up(&fixture, NULL);
    assert_true(calls_done(&fixture.calls));
    assert_int_equal(calls_send_progress(&fixture.calls), -1);
    check_answered(&fixture, "");
}

CASE(calls__answer_what_cannot_run)
{
    static const char start[] = "Execution Failed (error): cannot start the container: ";
    struct fixture fixture;
    json_t *lines;
    const json_t *answer;

    set_up(&fixture, NULL);
    submit(&fixture, "\"a\"");
    lines = tear_down(&fixture);
    assert_int_equal(json_array_size(lines), 1);
    answer = json_array_get(lines, 0);
    assert_string_equal(string_at(answer, "id"), "a");
    assert_memory_equal(string_at(answer, "result.content.0.text"), start, strlen(start));
    assert_non_null(strstr(string_at(answer, "result.content.0.text"), ": tell the user"));
    assert_string_equal(string_at(answer, "result.structuredContent.reason"), "engine");
    assert_string_equal(string_at(answer, "result.structuredContent.image"), "(none)");
    assert_true(json_is_true(json_object_get(json_object_get(answer, "result"), "isError")));
    json_decref(lines);
}

CASE(calls__one_after_the_other)
{
    struct fixture fixture;

    set_up_busy(&fixture, "");
    submit(&fixture, "2");
    submit(&fixture, "\"3\"");
    assert_false(calls_done(&fixture.calls));
    assert_int_equal(busy(&fixture), 1);
    let_end(&fixture, 3);
    check_answered(&fixture, "1 2 \"3\"");
}

CASE(calls__side_by_side)
{
    struct fixture fixture;

    set_up_waiting(&fixture, "{\"maxConcurrent\": 2}");
    submit(&fixture, "1");
    wait_until_begun(&fixture);
    submit(&fixture, "2");
    wait_until_begun(&fixture);
    submit(&fixture, "3");
    assert_int_equal(busy(&fixture), 2);
    let_end(&fixture, 1);
    wait_until_begun(&fixture); /* the third starts after one has ended */
    let_end(&fixture, 2);
    json_decref(tear_down(&fixture));
}

/* ---- sessions */

#define ONE_SESSION                                                                                \
    "\"sessions\": {\"max\": 1, \"idleSeconds\": 600, \"lifetimeSeconds\": 3600, "                 \
    "\"cpuSeconds\": 600, \"outputBytes\": 1000000}"

/* Submits a call that opens a session. */
static int submit_opening(struct fixture *fixture, const char *id, struct error *error)
{
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;
    struct call *call = new_call(fixture, "2025-11-25", id, NULL);
    int result;

    make_plan(fixture, 100, &plan);
    plan.session.open = true;
    snprintf(plan.session.id, sizeof plan.session.id, "%032d", atoi(id));
    result = calls_submit(&fixture->calls, call, &plan, error);
    if (result != 0)
        call_free(call);
    return result;
}

static void open_session(struct fixture *fixture, const char *id)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const int result = submit_opening(fixture, id, &error);

    assert_no_error(&error);
    assert_int_equal(result, 0);
}

/* If the first program of a session never begins, the session is closed and is not in the result.
 */
CASE(calls__session_without_a_program)
{
    struct fixture fixture;
    json_t *lines;

    set_up(&fixture, "{" ONE_SESSION "}");
    open_session(&fixture, "1");
    wait_until_done(&fixture);
    open_session(&fixture, "2"); /* there is room again */
    lines = tear_down(&fixture);
    assert_int_equal(json_array_size(lines), 2);
    assert_null(json_object_get(
        json_object_get(json_object_get(json_array_get(lines, 0), "result"), "structuredContent"),
        "session"));
    json_decref(lines);
}

/* If the call that opens a session is cancelled, the session is closed. */
CASE(calls__session_of_a_cancelled_call)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct fixture fixture;

    set_up_busy(&fixture, ", " ONE_SESSION);
    open_session(&fixture, "2");
    assert_int_equal(submit_opening(&fixture, "3", &error), -1);
    assert_error(&error, ERROR_INPUT,
                 "1 sessions are open, and the configuration allows no more (sessions.max); close "
                 "one first");
    cancel(&fixture, "2");
    let_end(&fixture, 1);
    wait_until_done(&fixture);
    open_session(&fixture, "4");
    let_end(&fixture, 1);
    check_answered(&fixture, "1 4");
}

/* If the call that opens a session is refused, the session is closed. */
CASE(calls__session_of_a_refused_call)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct fixture fixture;

    set_up_busy(&fixture, ", \"maxQueued\": 1, " ONE_SESSION);
    submit(&fixture, "2");
    assert_int_equal(submit_opening(&fixture, "3", &error), -1);
    assert_memory_equal(error.message, "too busy: ", 10);
    let_end(&fixture, 2);
    wait_until_done(&fixture);
    open_session(&fixture, "4");
    let_end(&fixture, 1);
    check_answered(&fixture, "1 2 4");
}

/* ---- too many */

CASE(calls__queue_is_full)
{
    struct fixture fixture;

    set_up_busy(&fixture, ", \"maxQueued\": 1");
    submit(&fixture, "2");
    check_busy(&fixture, 100, "1 programs are running and 1 are waiting, and no more are allowed");
    cancel(&fixture, "2"); /* makes room */
    submit(&fixture, "3");
    check_busy(&fixture, 100, "1 programs are running and 1 are waiting, and no more are allowed");
    let_end(&fixture, 2);
    check_answered(&fixture, "1 3");
}

CASE(calls__no_queue_at_all)
{
    struct fixture fixture;

    set_up_busy(&fixture, ", \"maxQueued\": 0");
    check_busy(&fixture, 100, "1 programs are running and 0 are waiting, and no more are allowed");
    let_end(&fixture, 1);
    wait_until_done(&fixture);
    submit(&fixture, "2"); /* its worker is free again */
    let_end(&fixture, 1);
    check_answered(&fixture, "1 2");
}

/* 256 MiB may wait or run, whatever the number of calls. */
CASE(calls__too_many_bytes)
{
    static const char full[] = "with this one, the programs and files of all running and waiting "
                               "requests would exceed 256 MiB";
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct fixture fixture;

    set_up_busy(&fixture, "");
    check_busy(&fixture, 268435456, full);
    assert_int_equal(submit_sized(&fixture, new_call(&fixture, "2025-11-25", "2", NULL),
                                  268435456 - 100000, &error),
                     0);
    submit(&fixture, "3"); /* fits */
    check_busy(&fixture, 100000, full);
    cancel(&fixture, "2");
    submit(&fixture, "4");
    let_end(&fixture, 3);
    wait_until_done(&fixture);
    assert_int_equal(fixture.service.workers.bytes, 0);
    check_answered(&fixture, "1 3 4");
}

/* ---- cancellation */

CASE(calls__cancelled_in_the_queue)
{
    struct fixture fixture;

    set_up_busy(&fixture, "");
    submit(&fixture, "2");
    submit(&fixture, "\"2\"");
    submit(&fixture, "3");
    cancel(&fixture, "2");  /* not the string */
    cancel(&fixture, "17"); /* no call has this id */
    let_end(&fixture, 3);
    check_answered(&fixture, "1 \"2\" 3");
}

CASE(calls__cancelled_while_it_runs)
{
    struct fixture fixture;

    set_up_busy(&fixture, "");
    submit(&fixture, "2");
    cancel(&fixture, "1");
    cancel(&fixture, "1");
    let_end(&fixture, 1);
    wait_until_begun(&fixture);
    let_end(&fixture, 1);
    check_answered(&fixture, "2");
}

/* ---- questions */

/*
 * A call that runs, and whose question is the response to request 1. Writes the key of the request
 * that repeats it.
 */
static void submit_asking(struct fixture *fixture, struct call_question_key *key)
{
    struct call *call = call_new();
    const struct tool_asker *asker = &call->questions.asker;
    json_t *id = json_integer(1);
    char digest[SHA256_HEX_SIZE];

    responder_init(&call->responder, &fixture->client.writer, revision_modern("2026-07-28"), id,
                   NULL);
    json_decref(id);
    call_question_digest("execute_code", NULL, digest);
    calls_ask_by_responses(&fixture->calls, call, digest);
    submit_call(fixture, call);
    wait_until_begun(fixture);
    asker->cancel(asker->context, asker->ask(asker->context, "?", NULL));
    pthread_mutex_lock(&fixture->calls.lock);
    *key = call->questions.key;
    pthread_mutex_unlock(&fixture->calls.lock);
}

/* The client repeats the call with request 2. Returns whether that is accepted. */
static bool repeat(struct fixture *fixture, const struct call_question_key *key)
{
    struct responder responder;
    json_t *id = json_integer(2);
    bool accepted;

    responder_init(&responder, &fixture->client.writer, revision_modern("2026-07-28"), id, NULL);
    json_decref(id);
    accepted = calls_resume(&fixture->calls, key, &responder, NULL);
    if (!accepted)
        responder_nothing(&responder);
    return accepted;
}

CASE(calls__repeated_after_a_question)
{
    struct call_question_key key;
    struct fixture fixture;

    set_up_waiting(&fixture, NULL);
    submit_asking(&fixture, &key);
    cancel(&fixture, "2"); /* not yet */
    assert_true(repeat(&fixture, &key));
    cancel(&fixture, "1"); /* no more */
    let_end(&fixture, 1);
    check_answered(&fixture, "1 2");
}

CASE(calls__cancelled_after_a_question)
{
    struct call_question_key key;
    struct fixture fixture;

    set_up_waiting(&fixture, NULL);
    submit_asking(&fixture, &key);
    cancel(&fixture, "1");
    assert_false(repeat(&fixture, &key));
    let_end(&fixture, 1);
    check_answered(&fixture, "1");
}

/* ---- the end */

CASE(calls__end)
{
    struct fixture fixture;
    json_t *lines;

    set_up_busy(&fixture, "");
    submit(&fixture, "2");
    submit(&fixture, "3");
    calls_end(&fixture.calls);
    assert_false(calls_done(&fixture.calls)); /* one still runs */
    let_end(&fixture, 1);
    assert_int_equal(service_close(&fixture.service, 0), 0);
    fixture.closed = true;
    assert_false(has_begun(&fixture));
    lines = tear_down(&fixture);
    assert_int_equal(json_array_size(lines), 3);
    check_json(json_array_get(lines, 0),
               "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{\"content\":[{\"type\":\"text\",\"text\":"
               "\"Execution Failed (error): the server is shutting down\"}],\"isError\":true}}");
    check_json(json_object_get(json_array_get(lines, 1), "id"), "3");
    check_json(json_object_get(json_array_get(lines, 2), "id"), "1");
    json_decref(lines);
}

CASE(calls__end_of_those_that_were_cancelled)
{
    struct fixture fixture;

    set_up_busy(&fixture, "");
    cancel(&fixture, "1");
    calls_end(&fixture.calls);
    let_end(&fixture, 1);
    check_answered(&fixture, "");
}

/* ---- progress */

/* The first notification of a call of this revision, a new reference. */
static json_t *progress_of(const char *revision, const char *token)
{
    struct fixture fixture;
    json_t *lines, *first;

    set_up_waiting(&fixture, NULL);
    submit_call(&fixture, new_call(&fixture, revision, "1", token));
    assert_in_range(calls_send_progress(&fixture.calls), 1, 1000);
    wait_until_begun(&fixture);
    assert_in_range(calls_send_progress(&fixture.calls), 1, 1000); /* in milliseconds, again */
    let_end(&fixture, 1);
    wait_until_done(&fixture);
    assert_int_equal(calls_send_progress(&fixture.calls), -1);
    lines = tear_down(&fixture);
    check_json(json_object_get(json_array_get(lines, json_array_size(lines) - 1), "id"), "1");
    first = json_incref(json_array_get(lines, 0));
    json_decref(lines);
    return first;
}

CASE(calls__progress)
{
    json_t *first = progress_of("2025-03-26", "\"token\"");
    json_t *params = json_object_get(first, "params");

    assert_string_equal(string_at(first, "method"), "notifications/progress");
    assert_string_equal(string_at(params, "progressToken"), "token");
    assert_string_equal(string_at(params, "message"), "starting a fresh container");
    assert_true(json_real_value(json_object_get(params, "progress")) > 0);
    assert_int_equal(json_object_size(params), 3);
    json_decref(first);
}

CASE(calls__progress_without_messages)
{
    json_t *first = progress_of("2024-11-05", "7");
    json_t *params = json_object_get(first, "params");

    check_json(json_object_get(params, "progressToken"), "7");
    assert_int_equal(json_object_size(params), 2);
    json_decref(first);
}

/* A call that waits gets progress after some seconds, with the number of calls before it. */
CASE(calls__progress_while_it_waits)
{
    struct fixture fixture;
    struct call *call;
    json_t *lines, *params;

    set_up_busy(&fixture, "");
    submit(&fixture, "2");
    call = new_call(&fixture, "2025-11-25", "3", "7");
    submit_call(&fixture, call);
    call->progress.last_sent -= 3000;
    assert_in_range(calls_send_progress(&fixture.calls), 1, 1000);
    let_end(&fixture, 3);
    lines = tear_down(&fixture);
    params = json_object_get(json_array_get(lines, 0), "params");
    assert_string_equal(string_at(params, "message"), "waiting; 1 more calls wait before it");
    check_json(json_object_get(params, "progressToken"), "7");
    json_decref(lines);
}

CASE(calls__no_progress_without_a_token)
{
    struct fixture fixture;

    set_up_waiting(&fixture, NULL);
    submit(&fixture, "1");
    wait_until_begun(&fixture);
    assert_int_equal(calls_send_progress(&fixture.calls), -1);
    let_end(&fixture, 1);
    check_answered(&fixture, "1");
}

CASE(calls__no_progress_of_cancelled_ones)
{
    struct fixture fixture;
    json_t *lines;

    set_up_waiting(&fixture, NULL);
    submit_call(&fixture, new_call(&fixture, "2025-11-25", "1", "7"));
    wait_until_begun(&fixture);
    cancel(&fixture, "1");
    assert_int_equal(calls_send_progress(&fixture.calls), -1);
    let_end(&fixture, 1);
    lines = tear_down(&fixture);
    assert_int_equal(json_array_size(lines), 1); /* that of the start */
    json_decref(lines);
}

static int set_up_group(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_IGN);
    return 0;
}

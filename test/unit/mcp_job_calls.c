#include "mcp_client.h"

#include "base/memory.h"
#include "mcp/job_calls.h"

/* Calls of a server whose docker command waits until it is killed. */
struct fixture {
    char *directory, *command;
    struct config config;
    struct notifier changed;
    struct service service;
    struct client client;
    struct result_store store;
    struct job_calls calls;
};

static void set_up(struct fixture *fixture)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const struct service_options options = {.limits = {.max_queued = 1, .max_bytes = 1 << 20}};

    *fixture = (struct fixture){.directory = temp_create()};
    fixture->command = script_in(fixture->directory, "docker", "exec sleep 600");
    set_up_config(&fixture->config, "{\"jobs\": {\"maxRunning\": 4, \"keepHours\": 1}}");
    free(fixture->config.container_command);
    fixture->config.container_command = string_copy(fixture->command);
    fixture->config.engine_timeout = 60; /* for long, the reaper looks for the engine */
    assert_int_equal(notifier_open(&fixture->changed, &error), 0);
    assert_int_equal(service_open(&fixture->service, &fixture->config, &options, &error), 0);
    client_open(&fixture->client);
    result_store_init(&fixture->store, 16 << 20);
    job_calls_init(&fixture->calls, &fixture->service, &fixture->config, &fixture->store,
                   &fixture->changed);
}

/* Ends the calls; the lines that were sent, a new reference. */
static json_t *tear_down(struct fixture *fixture)
{
    job_calls_end(&fixture->calls);
    assert_int_equal(job_calls_close(&fixture->calls, clock_now_ms() + CLIENT_PATIENCE_MS), 0);
    assert_int_equal(service_close(&fixture->service, 0), 0);
    notifier_release(&fixture->changed);
    result_store_release(&fixture->store);
    config_release(&fixture->config);
    free(fixture->command);
    temp_remove(fixture->directory);
    return client_lines(&fixture->client);
}

/* Starts a job for a program of `size` bytes. */
static int start(struct fixture *fixture, const char *id, size_t size, struct error *error)
{
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;
    CLEANUP(request_release) struct request request;
    struct responder responder;
    json_t *value = json_of(id);
    int result;

    request_init(&request);
    request.language = string_copy("py");
    request.input.code = memory_allocate(size);
    memset(request.input.code, ' ', size);
    request.input.code_length = size;
    assert_int_equal(plan_resolve(&plan, &fixture->config, &request, error), 0);
    responder_init(&responder, &fixture->client.writer, revision_legacy("2025-11-25"), value, NULL);
    json_decref(value);
    result = job_calls_start(&fixture->calls, &responder, NULL, &plan, &(struct strvec){.count = 0},
                             error);
    responder_nothing(&responder);
    return result;
}

/* More threads, or more bytes in memory, are refused; the others get a response at the end. */
CASE(job_calls__bounds)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct fixture fixture;
    json_t *lines;

    set_up(&fixture);
    assert_int_equal(start(&fixture, "0", JOB_CALLS_BYTES_MAX, &error), -1);
    assert_error(&error, ERROR_ENGINE,
                 "too busy: 0 calls start jobs or wait for them; try again when some have ended");
    error = (struct error)ERROR_INIT;
    for (int i = 0; i < JOB_CALLS_MAX; i++)
        assert_int_equal(start(&fixture, "7", 100, &error), 0);
    assert_int_equal(start(&fixture, "8", 100, &error), -1);
    assert_error(&error, ERROR_ENGINE,
                 "too busy: 16 calls start jobs or wait for them; try again when some have ended");
    error = (struct error)ERROR_INIT;
    assert_false(job_calls_done(&fixture.calls));
    lines = tear_down(&fixture);
    assert_int_equal(json_array_size(lines), JOB_CALLS_MAX);
    json_decref(lines);
}

/* A cancelled call ends, makes room, and gets no response. */
CASE(job_calls__cancelled)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct fixture fixture;
    json_t *lines, *id = json_integer(7);
    long long end = clock_now_ms() + CLIENT_PATIENCE_MS;

    set_up(&fixture);
    assert_int_equal(start(&fixture, "7", 100, &error), 0);
    assert_int_equal(start(&fixture, "\"7\"", 100, &error), 0);
    job_calls_cancel(&fixture.calls, id);
    while (fixture.calls.count == 2 && clock_now_ms() < end)
        job_calls_tend(&fixture.calls);
    assert_int_equal(fixture.calls.count, 1);
    assert_false(job_calls_done(&fixture.calls));
    lines = tear_down(&fixture);
    assert_int_equal(json_array_size(lines), 1);
    assert_string_equal(string_at(json_array_get(lines, 0), "id"), "7");
    json_decref(lines);
    json_decref(id);
}

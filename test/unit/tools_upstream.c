#include "test.h"

#include <errno.h>
#include <signal.h>

#include "base/clock.h"
#include "base/io.h"
#include "tools/upstream_state.h"

/* A fake server, and the caller's end. */
struct fixture {
    struct tool_server server;
    struct upstream *upstream;
    struct notifier done;
};

static void pause_ms(int ms)
{
    io_poll(NULL, 0, ms);
}

/* Ends the test if something hangs. */
enum { HANGS_MS = 60000 };

static void begin_limited(struct fixture *fixture, const char *mode, const char *argument,
                          const struct tool_limits *limits)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    signal(SIGPIPE, SIG_IGN);
    *fixture = (struct fixture){.done = NOTIFIER_INIT};
    fixture->server.name = string_copy("fake");
    fixture->server.command = string_copy("test/fixtures/upstream");
    strvec_push(&fixture->server.arguments, mode);
    if (argument)
        strvec_push(&fixture->server.arguments, argument);
    assert_int_equal(notifier_open(&fixture->done, &error), 0);
    fixture->upstream = upstream_new(&fixture->server, limits, NULL, &error);
    assert_non_null(fixture->upstream);
    fixture->upstream->times.grace = 300;
    fixture->upstream->times.refetch = 0;
}

static void begin(struct fixture *fixture, const char *mode)
{
    const struct tool_limits limits = {.call_seconds = 60, .value_bytes = 4000};

    begin_limited(fixture, mode, NULL, &limits);
}

static void tear_down(struct fixture *fixture)
{
    upstream_free(fixture->upstream);
    notifier_release(&fixture->done);
    tool_server_release(&fixture->server);
}

/* Returns the names of the tools, or what is wrong; owned. */
static char *list(struct fixture *fixture)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(upstream_tools_release) struct upstream_tools *tools = NULL;
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;

    if (upstream_list(fixture->upstream, clock_now_ms() + HANGS_MS, NULL, &tools, &error) != 0)
        return string_copy(error.message);
    for (size_t i = 0; i < tools->count; i++)
        strvec_push(&names, tools->items[i].name);
    return strvec_join(&names, " ");
}

static void check_list(struct fixture *fixture, const char *expected)
{
    CLEANUP_FREE char *names = list(fixture);

    assert_string_equal(names, expected);
}

static struct upstream_call *start_call(struct fixture *fixture, const char *tool)
{
    return upstream_call_start(fixture->upstream, tool, string_copy("{\"a\":\"\xc3\xa9\"}"),
                               &fixture->done);
}

/* Waits for the call. Returns its text, or what is wrong; owned. */
static char *finish_call(struct fixture *fixture, struct upstream_call *call)
{
    const long long hangs = clock_now_ms() + HANGS_MS;
    json_t *result = NULL;
    char *why = NULL, *text;

    while (upstream_call_take(call, &result, &why) == UPSTREAM_PENDING) {
        struct pollfd polled = {.fd = notifier_fd(&fixture->done), .events = POLLIN};

        assert_true(clock_now_ms() < hangs);
        io_poll(&polled, 1, 1000);
        notifier_clear(&fixture->done);
    }
    if (why)
        return why;
    text = string_copy(json_string_value(
        json_object_get(json_array_get(json_object_get(result, "content"), 0), "text")));
    json_decref(result);
    return text;
}

static void check_call(struct fixture *fixture, const char *tool, const char *expected)
{
    CLEANUP_FREE char *text = finish_call(fixture, start_call(fixture, tool));

    assert_string_equal(text, expected);
}

static void check_mode(const char *mode, const char *expected_list, const char *expected_call)
{
    struct fixture fixture;

    begin(&fixture, mode);
    if (expected_list)
        check_list(&fixture, expected_list);
    if (expected_call)
        check_call(&fixture, "echo", expected_call);
    tear_down(&fixture);
}

#define GOOD "echo list_things create_thing"
#define ECHO "{\"a\": \"\\u00e9\"}"

/* ---- lists */

CASE(upstream__lists_tools)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct upstream_tools *tools = NULL;
    struct fixture fixture;

    begin(&fixture, "good");
    assert_int_equal(upstream_list(fixture.upstream, 0, NULL, &tools, &error), 0);
    assert_int_equal(tools->count, 3);
    assert_string_equal(tools->items[0].title, "Echo");
    assert_string_equal(tools->items[0].description, "Does echo.\nMore.");
    assert_true(tools->items[0].has_read_only_hint);
    assert_non_null(tools->items[0].output_schema);
    assert_false(tools->items[2].has_read_only_hint);
    assert_null(tools->items[2].title);
    assert_null(tools->items[2].output_schema);
    assert_string_equal(json_string_value(json_object_get(tools->items[2].input_schema, "type")),
                        "object");
    tear_down(&fixture);
    assert_int_equal(tools->count, 3); /* the snapshot outlives the server */
    upstream_tools_release(&tools);
    upstream_tools_release(&tools);
}

CASE(upstream__pages_and_revisions)
{
    check_mode("pages", "one two three", NULL);
    check_mode("old", GOOD, ECHO);
    check_mode("greets", GOOD, ECHO);
    check_mode("future",
               "tool server 'fake': speaks revision '2026-07-28' of MCP; known are 2024-11-05 to "
               "2025-11-25",
               NULL);
}

/* Those that have no initialize. */
CASE(upstream__modern_servers)
{
    struct fixture fixture;

    check_mode("modern", GOOD, ECHO);
    begin(&fixture, "modern");
    check_call(&fixture, "create_thing",
               "'fake.create_thing' failed: the server asks for input, which programs cannot give");
    tear_down(&fixture);
    check_mode("unknown", "tool server 'fake': refuses to start: no such method", NULL);
}

CASE(upstream__lists_are_bounded)
{
    static const char *const modes[] = {"many", "endless"};

    for (size_t i = 0; i < COUNT(modes); i++) {
        CLEANUP(error_release) struct error error = ERROR_INIT;
        CLEANUP(upstream_tools_release) struct upstream_tools *tools = NULL;
        struct fixture fixture;

        begin(&fixture, modes[i]);
        assert_int_equal(upstream_list(fixture.upstream, 0, NULL, &tools, &error), 0);
        assert_int_equal(tools->count, 1000);
        assert_int_equal(tools->dropped, i == 0 ? 200 : 0);
        tear_down(&fixture);
    }
    check_mode("heavy", "tool server 'fake': its list of tools has more than 16 MiB", NULL);
}

CASE_WITH(upstream__bad_names_are_dropped, begin(fixture, "names"))
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(upstream_tools_release) struct upstream_tools *tools = NULL;

    assert_int_equal(upstream_list(fixture->upstream, 0, NULL, &tools, &error), 0);
    assert_int_equal(tools->dropped, 12);
    assert_int_equal(tools->count, 5);
    assert_string_equal(tools->items[3].name, "..");
    assert_int_equal(strlen(tools->items[4].name), 128);
}

CASE_WITH(upstream__a_changed_list_is_fetched, begin(fixture, "changes"))
{
    check_list(fixture, GOOD);
    check_call(fixture, "echo", ECHO);
    check_list(fixture, GOOD " new");
}

CASE_WITH(upstream__listing_can_be_cancelled, begin(fixture, "silent"))
{
    CLEANUP(notifier_release) struct notifier cancel = NOTIFIER_INIT;
    struct error error = ERROR_INIT;
    struct upstream_tools *tools = NULL;

    assert_int_equal(notifier_open(&cancel, &error), 0);
    notifier_raise(&cancel);
    assert_int_equal(upstream_list(fixture->upstream, 0, &cancel, &tools, &error), -1);
    assert_error(&error, ERROR_CANCELLED, "cancelled");
    assert_int_equal(upstream_list(fixture->upstream, 1, NULL, &tools, &error), -1);
    assert_error(&error, ERROR_ENGINE, "tool server 'fake': has not listed its tools in time");
}

/* ---- servers that do not start */

CASE(upstream__failures_of_the_start)
{
    struct fixture fixture;

    check_mode("dies-at-start",
               "tool server 'fake': has ended with exit status 3: no such database", NULL);
    check_mode("dies-at-start", NULL,
               "'fake.echo' failed: has ended with exit status 3: no such database");
    check_mode("refuses", "tool server 'fake': refuses to start: no licence", NULL);
    check_mode("not-json",
               "tool server 'fake': writes text that is not JSON on standard output: "
               "Hello \\x1b[1m100",
               NULL);
    begin(&fixture, "silent");
    fixture.upstream->times.start = 1000;
    check_list(&fixture, "tool server 'fake': has not listed its tools within 1 s: waiting for a "
                         "licence");
    tear_down(&fixture);
    begin(&fixture, "good");
    free(fixture.server.command);
    fixture.server.command = string_copy("/nonexistent/mcp");
    check_list(&fixture,
               "tool server 'fake': cannot run '/nonexistent/mcp': No such file or directory");
    tear_down(&fixture);
}

CASE(upstream__isolator_itself_is_refused)
{
    CLEANUP_FREE char *self = realpath("/proc/self/exe", NULL);
    char *directory = temp_create();
    CLEANUP_FREE char *link = string_format("%s/other", directory);
    CLEANUP_FREE char *expected = NULL;
    struct fixture fixture;

    assert_int_equal(symlink(self, link), 0);
    begin(&fixture, "good");
    free(fixture.server.command);
    fixture.server.command = string_copy(link);
    expected = string_format("tool server 'fake': the command '%s' is isolator itself, which "
                             "cannot be a tool server",
                             link);
    check_list(&fixture, expected);
    tear_down(&fixture);
    temp_remove(directory);
}

/* ---- calls */

CASE_WITH(upstream__calls, begin(fixture, "good"))
{
    json_t *result = NULL;
    struct upstream_call *call;
    char *why = NULL, *text;

    check_call(fixture, "echo", ECHO); /* starts it */
    call = start_call(fixture, "echo");
    while (upstream_call_take(call, &result, &why) == UPSTREAM_PENDING)
        pause_ms(1);
    assert_null(why);
    text = json_dumps(result, JSON_COMPACT | JSON_SORT_KEYS);
    assert_string_equal(text, "{\"content\":[{\"text\":\"{\\\"a\\\": \\\"\\\\u00e9\\\"}\",\"type\":"
                              "\"text\"}],\"isError\":false,\"structuredContent\":{\"got\":{\"a\":"
                              "\"\xc3\xa9\"}}}");
    free(text);
    json_decref(result);
}

CASE(upstream__disturbing_servers)
{
    check_mode("lies", GOOD, ECHO);
    check_mode("floods", GOOD, ECHO);
    check_mode("asks", NULL,
               "[{\"id\": \"ping\"}, {\"error\": -32601, \"id\": \"roots/list\"}, "
               "{\"error\": -32601, \"id\": \"sampling/createMessage\"}]");
    check_mode("error", NULL, "'fake.echo' failed: no\\x1b[1m such\\nthing");
    check_mode("no-result", NULL, "'fake.echo' failed: the server has sent no result");
    check_mode("huge", NULL,
               "the value of 'fake.echo' has 5055 bytes, more than 4000: ask for less");
    check_mode("long-line", NULL, "'fake.echo' failed: has sent a line of more than 10 MiB");
    check_mode("brackets", NULL,
               "'fake.echo' failed: has sent a message of more than 200000 values");
    check_mode("nested", NULL, "'fake.echo' failed: has sent a message of more than 128 levels");
    check_mode("deepest", NULL, "'fake.echo' failed: has sent a message of more than 128 levels");
    check_mode("deep", GOOD, ECHO);
}

CASE(upstream__a_server_that_never_reads)
{
    const struct tool_limits limits = {.call_seconds = 1, .value_bytes = 4000};
    struct fixture fixture;

    begin_limited(&fixture, "never-reads", NULL, &limits);
    check_list(&fixture, GOOD);
    check_call(&fixture, "echo", "'fake.echo' has not ended after 1 seconds");
    tear_down(&fixture);
}

/* Waits until the call is sent. Returns its id. */
static long long sent_id(struct fixture *fixture, const struct upstream_call *call)
{
    long long id = 0;

    while (id == 0) {
        pthread_mutex_lock(&fixture->upstream->lock);
        id = call->id;
        pthread_mutex_unlock(&fixture->upstream->lock);
        pause_ms(1);
    }
    return id;
}

CASE_WITH(upstream__cancelled_calls, begin(fixture, "slow"))
{
    CLEANUP_FREE char *text = NULL, *expected = NULL;
    struct upstream_call *call;

    check_list(fixture, GOOD);
    call = start_call(fixture, "echo");
    expected = string_format("[%lld]", sent_id(fixture, call));
    upstream_call_cancel(call);
    text = finish_call(fixture, start_call(fixture, "cancelled"));
    assert_string_equal(text, expected);
}

/* The answer comes after the cancellation. */
CASE_WITH(upstream__late_results_are_dropped, begin(fixture, "late"))
{
    struct upstream_call *call;

    check_list(fixture, GOOD);
    call = start_call(fixture, "echo");
    sent_id(fixture, call);
    upstream_call_cancel(call);
    check_call(fixture, "echo", ECHO);
}

CASE(upstream__a_call_has_a_deadline)
{
    const struct tool_limits limits = {.call_seconds = 1, .value_bytes = 4000};
    struct fixture fixture;

    begin_limited(&fixture, "slow", NULL, &limits);
    check_list(&fixture, GOOD);
    check_call(&fixture, "echo", "'fake.echo' has not ended after 1 seconds");
    check_call(&fixture, "cancelled", "[3]");
    tear_down(&fixture);
}

/* ---- its end, and the next start */

CASE(upstream__death_in_a_call)
{
    struct fixture fixture;

    begin(&fixture, "dies");
    check_call(&fixture, "echo",
               "'fake.echo' failed: has ended with exit status 7: the last\\x1b[31m words");
    check_call(&fixture, "echo",
               "'fake.echo' failed: the server has ended, and is started at most once in 10 "
               "seconds");
    tear_down(&fixture);
    begin(&fixture, "dies-killed");
    fixture.upstream->times.restart = 0;
    check_call(&fixture, "echo", "'fake.echo' failed: has ended by SIGKILL");
    check_list(&fixture, GOOD); /* started again */
    tear_down(&fixture);
}

CASE(upstream__a_server_that_ignores_its_end)
{
    struct fixture fixture;
    CLEANUP_FREE char *pid = NULL;

    begin(&fixture, "ignores");
    pid = finish_call(&fixture, start_call(&fixture, "pid"));
    assert_int_equal(kill(atoi(pid), 0), 0);
    tear_down(&fixture);
    assert_int_equal(kill(atoi(pid), 0), -1);
    assert_int_equal(errno, ESRCH);
}

/* Its child writes without end, ignores SIGTERM, and has the pipes. */
CASE(upstream__children_of_a_server_end_with_it)
{
    const struct tool_limits limits = {.call_seconds = 60, .value_bytes = 4000};
    char *directory = temp_create();
    CLEANUP_FREE char *file = string_format("%s/pid", directory);
    struct fixture fixture;
    char stat_file[64], text[300] = "";
    int child = 0;
    FILE *read;

    begin_limited(&fixture, "stays", file, &limits);
    CLEANUP_FREE char *said = list(&fixture);
    assert_non_null(strstr(said, "tool server 'fake': "));
    tear_down(&fixture);
    read = fopen(file, "r");
    assert_int_equal(fscanf(read, "%d", &child), 1);
    fclose(read);
    snprintf(stat_file, sizeof stat_file, "/proc/%d/stat", child); /* a zombie if nothing reaps */
    for (int i = 0; i < 1000; i++) {
        read = fopen(stat_file, "r");
        if (!read || !fgets(text, sizeof text, read) || strstr(text, ") Z "))
            child = 0;
        if (read)
            fclose(read);
        if (child == 0)
            break;
        pause_ms(10);
    }
    assert_int_equal(child, 0);
    temp_remove(directory);
}

CASE(upstream__the_environment_is_bare)
{
    struct fixture fixture;
    CLEANUP_FREE char *variables = NULL;

    setenv("ISOLATOR_TEST_SECRET", "s", 1);
    setenv("ISOLATOR_TEST_TOKEN", "t", 1);
    begin(&fixture, "good");
    strvec_push(&fixture.server.environment, "TOKEN=env:ISOLATOR_TEST_TOKEN");
    strvec_push(&fixture.server.environment, "LANG=xx");
    variables = finish_call(&fixture, start_call(&fixture, "environment"));
    assert_non_null(strstr(variables, "TOKEN=t"));
    assert_non_null(strstr(variables, "LANG=xx"));
    assert_non_null(strstr(variables, "PATH="));
    assert_null(strstr(variables, "ISOLATOR_TEST"));
    assert_null(strstr(variables, "CMOCKA"));
    tear_down(&fixture);
}

/* A list that does not come ends the server, also if it is not the first one. */
CASE_WITH(upstream__mute_after_a_change, begin(fixture, "mute"))
{
    check_list(fixture, GOOD);
    fixture->upstream->times.start = 300;
    check_call(fixture, "echo", ECHO);
    check_list(fixture, "tool server 'fake': has not listed its tools within 0 s");
}

/* Calls fail at once, not when their time is over. */
CASE(upstream__closes_its_output)
{
    const long long start = clock_now_ms();

    check_mode("closes", GOOD, "'fake.echo' failed: has closed its standard input or output");
    assert_true(clock_now_ms() - start < HANGS_MS / 2);
}

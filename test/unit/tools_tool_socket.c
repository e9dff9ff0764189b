#include "test.h"

#include <signal.h>

#include "base/clock.h"
#include "base/io.h"
#include "base/mux_link.h"
#include "config/config_layers.h"
#include "config/config_load.h"
#include "config/config_read.h"
#include "tools/tool_session.h"
#include "tools/tool_socket.h"
#include "tools/tool_use.h"

/* The test is the relay: it says what programs do, and gets the answers. The servers are fakes. */

enum { SLOTS = 3, FIRST = 5, HANGS_MS = 60000 };

struct fixture {
    struct config config;
    struct tool_set *set;
    struct strvec servers;
    struct tool_log log;
    struct tool_consent consent;
    struct tool_asker asker;
    int asked, taken_back; /* questions */
    struct mux_link *link;
    struct tool_socket *socket;
    bool reads_nothing;        /* the program */
    struct strbuf out;         /* of the link, the start of a message */
    struct strbuf data[SLOTS]; /* what the program has got */
    size_t credit[SLOTS];      /* bytes that it may still send */
    bool closed[SLOTS];
};

/* ---- a person who never answers */

static struct tool_question *ask(void *context, const char *text, const struct notifier *done)
{
    (void)text;
    (void)done;
    ((struct fixture *)context)->asked++;
    return context;
}

static enum tool_decision take(void *context, struct tool_question *question)
{
    (void)context;
    (void)question;
    return TOOL_UNDECIDED;
}

static void take_back(void *context, struct tool_question *question)
{
    (void)question;
    ((struct fixture *)context)->taken_back++;
}

/* ---- what is tested */

static void set_up_with(struct fixture *fixture, const char *tools, const char *limits,
                        bool has_person)
{
    CLEANUP_FREE char *json =
        string_format("{\"tools\": {%s}, \"toolLimits\": {%s}}", tools, limits ? limits : "");
    struct error error = ERROR_INIT;

    signal(SIGPIPE, SIG_IGN);
    *fixture = (struct fixture){
        .servers = STRVEC_INIT, .log = TOOL_LOG_INIT, .asker = {fixture, ask, take, take_back}};
    assert_int_equal(
        tool_consent_init(&fixture->consent, has_person ? &fixture->asker : NULL, &error), 0);
    assert_int_equal(config_load_built_in(&fixture->config, &error), 0);
    if (config_overlay(&fixture->config, json, strlen(json), "test.json", &error) != 0)
        fail_msg("%s", error.message);
    for (size_t i = 0; i < fixture->config.tool_count; i++)
        strvec_push(&fixture->servers, fixture->config.tools[i].name);
    fixture->set = tool_set_new(&fixture->config, &error);
    fixture->link = mux_link_new(&error);
    fixture->socket = tool_socket_new(fixture->set, &fixture->servers, &fixture->log,
                                      &fixture->consent, fixture->link, FIRST, &error);
    assert_non_null(fixture->socket);
}

static void set_up(struct fixture *fixture, const char *tools, const char *limits)
{
    set_up_with(fixture, tools, limits, false);
}

static void tear_down(struct fixture *fixture)
{
    tool_socket_free(fixture->socket);
    mux_link_free(fixture->link);
    tool_set_free(fixture->set);
    tool_log_release(&fixture->log);
    tool_consent_release(&fixture->consent);
    strvec_release(&fixture->servers);
    strbuf_release(&fixture->out);
    for (int i = 0; i < SLOTS; i++)
        strbuf_release(&fixture->data[i]);
    config_release(&fixture->config);
}

#define FAKE(name, mode, rules)                                                                    \
    "\"" name "\": {\"command\": \"test/fixtures/upstream\", \"args\": [\"" mode "\"]" rules "}"
#define ALL ", \"allow\": [\"*\"]"

/* ---- the relay */

static void say(struct fixture *fixture, unsigned slot, enum mux_type type, const void *payload,
                size_t length)
{
    unsigned char header[MUX_HEADER];

    mux_write(header, FIRST + slot, type, length);
    mux_link_take(fixture->link, (const char *)header, sizeof header);
    mux_link_take(fixture->link, payload, length);
}

static void open_slot(struct fixture *fixture, unsigned slot)
{
    say(fixture, slot, MUX_OPEN, NULL, 0);
    fixture->credit[slot] = MUX_WINDOW;
    fixture->closed[slot] = false;
}

static void take_message(struct fixture *fixture, const struct mux_message *message,
                         const char *payload)
{
    const unsigned slot = message->slot - FIRST;
    unsigned char number[4];

    assert_true(slot < SLOTS);
    switch (message->type) {
    case MUX_DATA:
        if (fixture->reads_nothing)
            break;
        strbuf_add(&fixture->data[slot], payload, message->length);
        mux_write_number(number, (uint32_t)message->length);
        say(fixture, slot, MUX_CREDIT, number, sizeof number);
        break;
    case MUX_CREDIT:
        fixture->credit[slot] += mux_read_number((const unsigned char *)payload);
        assert_true(fixture->credit[slot] <= MUX_WINDOW);
        break;
    case MUX_CLOSE:
        fixture->closed[slot] = true;
        break;
    default:
        fail_msg("type %d", (int)message->type);
    }
}

/* Takes what there is for the relay. */
static void drain(struct fixture *fixture)
{
    char bytes[5000];
    size_t length;
    struct mux_message message;

    while ((length = mux_link_give(fixture->link, bytes, sizeof bytes)) > 0) {
        strbuf_add(&fixture->out, bytes, length);
        while (fixture->out.length >= MUX_HEADER) {
            assert_true(mux_read((const unsigned char *)fixture->out.data, &message));
            if (fixture->out.length < MUX_HEADER + message.length)
                break;
            take_message(fixture, &message, fixture->out.data + MUX_HEADER);
            strbuf_drop(&fixture->out, MUX_HEADER + message.length);
        }
    }
}

static void wait_once(struct fixture *fixture)
{
    struct pollfd polled = {mux_link_fd(fixture->link), POLLIN, 0};

    drain(fixture);
    if (io_poll(&polled, 1, 10) > 0)
        mux_link_serve(fixture->link);
    drain(fixture);
}

/* Sends bytes of the program, as its credit allows it. */
static void send_bytes(struct fixture *fixture, unsigned slot, const char *bytes, size_t length)
{
    const long long hangs = clock_now_ms() + HANGS_MS;

    while (length > 0) {
        size_t part = length < MUX_DATA_MAX ? length : MUX_DATA_MAX;

        if (part > fixture->credit[slot])
            part = fixture->credit[slot];
        if (part > 0)
            say(fixture, slot, MUX_DATA, bytes, part);
        fixture->credit[slot] -= part;
        bytes += part;
        length -= part;
        if (part == 0)
            wait_once(fixture);
        assert_true(clock_now_ms() < hangs);
    }
}

static void send_line(struct fixture *fixture, unsigned slot, const char *line)
{
    send_bytes(fixture, slot, line, strlen(line));
    send_bytes(fixture, slot, "\n", 1);
}

/* Waits for the next line that the program gets; owned. */
static char *next_line(struct fixture *fixture, unsigned slot)
{
    const long long hangs = clock_now_ms() + HANGS_MS;
    struct strbuf *data = &fixture->data[slot];
    const char *end;
    char *line;

    drain(fixture);
    while (!(end = memchr(strbuf_string(data), '\n', data->length))) {
        if (clock_now_ms() >= hangs)
            fail_msg("no line after: %s", strbuf_string(data));
        wait_once(fixture);
    }
    line = string_format("%.*s", (int)(end - data->data), data->data);
    strbuf_drop(data, (size_t)(end - data->data) + 1);
    return line;
}

static void expect_line(struct fixture *fixture, unsigned slot, const char *expected)
{
    CLEANUP_FREE char *line = next_line(fixture, slot);

    assert_string_equal(line, expected);
}

#define CALL(id, name)                                                                             \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"tools/call\",\"params\":{\"name\":\"" name    \
    "\",\"arguments\":{\"a\":1}}}"
#define ERROR(id, code, text)                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"error\":{\"code\":" code ",\"message\":\"" text "\"}}"
#define ECHOED(id)                                                                                 \
    "{\"jsonrpc\":\"2.0\",\"id\":" id                                                              \
    ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"{\\\"a\\\": 1}\"}],\"isError\":"      \
    "false,\"structuredContent\":{\"got\":{\"a\":1}}}}"

static void check_call(struct fixture *fixture, const char *line, const char *expected)
{
    send_line(fixture, 0, line);
    expect_line(fixture, 0, expected);
}

static void check_log(const struct fixture *fixture, const char *expected)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;

    for (size_t i = 0; i < fixture->log.count; i++)
        strbuf_addf(&text, "%s %s;", fixture->log.entries[i].name,
                    fixture->log.entries[i].ok ? "ok" : "failed");
    assert_string_equal(strbuf_string(&text), expected);
}

/* ---- what is spoken */

CASE_WITH(tool_socket__speaks_mcp,
          set_up(fixture, FAKE("one", "good", ", \"allow\": [\"echo\"]"), NULL))
{
    open_slot(fixture, 0);
    check_call(fixture,
               "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"initialize\",\"params\":"
               "{\"protocolVersion\":\"2025-03-26\",\"capabilities\":{}}}",
               "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{\"protocolVersion\":\"2025-03-26\","
               "\"capabilities\":{\"tools\":{}},\"serverInfo\":{\"name\":\"isolator\",\"version\":"
               "\"" ISOLATOR_VERSION "\"}}}");
    send_line(fixture, 0, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    check_call(fixture, "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}",
               "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}");
    check_call(fixture, "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\"}",
               "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{\"tools\":[{\"name\":\"one.echo\","
               "\"inputSchema\":{\"type\":\"object\"},\"title\":\"Echo\",\"description\":"
               "\"Does echo.\\nMore.\",\"outputSchema\":{\"type\":\"object\"}}]}}");
    check_call(fixture, CALL("4", "one.echo"), ECHOED("4"));
    check_call(fixture, "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"resources/list\"}",
               ERROR("5", "-32601", "the methods are initialize, ping, tools/list and tools/call"));
    check_log(fixture, "one.echo ok;");
}

/* A connection of isolator-call gets parts, of what is no message too; others go on as they do. */
CASE_WITH(tool_socket__parts, set_up(fixture, FAKE("one", "good", ALL), NULL))
{
    static const char echoed[] = "\1\x0f\0\0\0{\"got\":{\"a\":1}}\1\1\0\0\0\n\6\0\0\0\0";
    static const char refused[] =
        "\3\0\0\0\0\1\x39\0\0\0the arguments are no JSON object, or have too many values"
        "\1\1\0\0\0\n\6\0\0\0\0";
    const long long hangs = clock_now_ms() + HANGS_MS;
    struct strbuf *data = &fixture->data[0];

    open_slot(fixture, 0);
    open_slot(fixture, 1);
    send_line(fixture, 0, "isolator-call");
    assert_int_equal(fixture->log.messages, 0);
    send_line(fixture, 0, CALL("1", "one.echo"));
    while (data->length < sizeof echoed - 1 && clock_now_ms() < hangs)
        wait_once(fixture);
    assert_int_equal(data->length, sizeof echoed - 1);
    assert_memory_equal(data->data, echoed, sizeof echoed - 1);
    strbuf_drop(data, data->length);
    send_line(fixture, 0, "isolator-call"); /* once is enough: it is no message */
    drain(fixture);
    assert_int_equal(fixture->log.messages, 2);
    assert_int_equal(data->length, sizeof refused - 1);
    assert_memory_equal(data->data, refused, sizeof refused - 1);
    send_line(fixture, 1, CALL("2", "one.echo"));
    expect_line(fixture, 1, ECHOED("2"));
}

/* A message of so many levels; owned. */
static char *nested_ping(int levels)
{
    struct strbuf text = STRBUF_INIT;

    strbuf_addstr(&text, "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":{\"x\":");
    for (int i = 2; i < levels; i++)
        strbuf_addstr(&text, "[");
    for (int i = 2; i < levels; i++)
        strbuf_addstr(&text, "]");
    strbuf_addstr(&text, "}}");
    return strbuf_steal(&text);
}

/* What is no message gets an error, and the connection goes on. */
CASE_WITH(tool_socket__garbage, set_up(fixture, FAKE("one", "good", ALL), NULL))
{
    static const char no_object[] =
        ERROR("null", "-32700",
              "a line is no JSON object, or has more values or levels than a message may have");
    CLEANUP_FREE char *brackets = string_format("{\"a\":[%0*d]}", 500000, 0);
    CLEANUP_FREE char *deep = nested_ping(128), *deeper = nested_ping(129);

    open_slot(fixture, 0);
    check_call(fixture, "GET / HTTP/1.1", no_object);
    check_call(fixture, "[1]", no_object);
    check_call(fixture, "\xff\x01", no_object);
    for (char *zero = strchr(brackets, '0'); *zero == '0'; zero++)
        *zero = '[';
    check_call(fixture, brackets, no_object);
    check_call(fixture, deeper, no_object);
    check_call(fixture, deep, "{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}");
    check_call(fixture, "{\"id\":{},\"method\":\"ping\"}",
               ERROR("null", "-32600", "the id is neither a string nor an integer"));
    check_call(fixture, "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":5}}",
               ERROR("1", "-32602", "tools/call needs a name, a string, and arguments, an object"));
    check_call(fixture,
               "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"one.echo\","
               "\"arguments\":[]}}",
               ERROR("1", "-32602", "tools/call needs a name, a string, and arguments, an object"));
    check_call(fixture, "{\"id\":1,\"method\":\"tools/list\",\"params\":{\"cursor\":\"7.1\"}}",
               ERROR("1", "-32602", "the cursor is none of a list of tools"));
    send_line(fixture, 0, "{\"id\":1,\"result\":{}}");
    send_line(fixture, 0, "");
    check_call(fixture, CALL("2", "one.echo"), ECHOED("2"));
}

CASE_WITH(tool_socket__long_line, set_up(fixture, FAKE("one", "good", ALL), NULL))
{
    CLEANUP_FREE char *line = string_format("%0*d", TOOL_SESSION_LINE_MAX + 1, 0);

    open_slot(fixture, 0);
    check_call(fixture, line, ERROR("null", "-32600", "a line has more than 1 MiB"));
    check_call(fixture, CALL("2", "one.echo"), ECHOED("2"));
}

/* ---- rules */

CASE_WITH(tool_socket__refuses,
          set_up(fixture,
                 FAKE("one", "good", ", \"allow\": [\"echo\"]") "," FAKE("two", "good", ALL), NULL))
{
    static const char *const names[] = {"one.create_thing",
                                        "one.ECHO",
                                        "one.echo ",
                                        "one.",
                                        "echo",
                                        "one",
                                        "",
                                        ".echo",
                                        "two.echo",
                                        "One.echo",
                                        "one.\\u0435cho",
                                        "one.echo\\u200b",
                                        "one.one.echo"};

    strvec_release(&fixture->servers);
    strvec_push(&fixture->servers, "one"); /* the request has narrowed them */
    open_slot(fixture, 0);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CLEANUP_FREE char *call = string_format(
            "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"%s\"}}", names[i]);
        CLEANUP_FREE char *answer = NULL;

        send_line(fixture, 0, call);
        answer = next_line(fixture, 0);
        if (!strstr(answer, "\"code\":-32602") || !strstr(answer, "is not allowed"))
            fail_msg("%s: %s", names[i], answer);
    }
    assert_int_equal(fixture->log.failed, sizeof names / sizeof *names);
    assert_int_equal(fixture->log.succeeded, 0);
}

/* Without rules the hint of the server decides; with `ask` no one can be asked. */
CASE_WITH(tool_socket__hints_and_questions,
          set_up(fixture,
                 FAKE("hints", "good", "") "," FAKE("asks", "good", ", \"ask\": [\"create_*\"]"),
                 NULL))
{
    open_slot(fixture, 0);
    check_call(fixture, CALL("1", "hints.echo"), ECHOED("1"));
    check_call(fixture, CALL("2", "hints.create_thing"),
               ERROR("2", "-32602", "the tool 'hints.create_thing' is not allowed"));
    check_call(fixture, CALL("3", "asks.create_thing"),
               ERROR("3", "-32602",
                     "the tool 'asks.create_thing' needs a person who agrees to each call, and "
                     "there is none to ask"));
    check_call(fixture, CALL("4", "hints.none"),
               ERROR("4", "-32602", "there is no tool 'hints.none'"));
    check_log(fixture, "hints.echo ok;hints.create_thing failed;asks.create_thing failed;"
                       "hints.none failed;");
}

/* Its answers wait, so none of its calls is looked at; the time of a question is over all the same.
 */
CASE_WITH(tool_socket__question_of_a_program_that_does_not_read,
          set_up_with(fixture, FAKE("one", "good", ", \"ask\": [\"create_*\"]"), NULL, true))
{
    const long long hangs = clock_now_ms() + HANGS_MS;
    CLEANUP_FREE char *ping =
        string_format("{\"id\":\"%0*d\",\"method\":\"ping\"}", TOOL_SESSION_OUT_MAX / 2, 0);

    fixture->consent.question_ms = 1000;
    fixture->reads_nothing = true;
    open_slot(fixture, 0);
    send_line(fixture, 0, CALL("1", "one.create_thing"));
    while (fixture->asked == 0 && clock_now_ms() < hangs)
        wait_once(fixture);
    for (int i = 0; i < 3; i++) /* MUX_WINDOW bytes of the answers are on their way */
        send_line(fixture, 0, ping);
    while (fixture->taken_back == 0 && clock_now_ms() < hangs)
        wait_once(fixture);
    assert_int_equal(fixture->asked, 1);
    assert_int_equal(fixture->taken_back, 1);
}

/* ---- limits */

CASE_WITH(tool_socket__calls_of_a_run, set_up(fixture, FAKE("one", "good", ALL), "\"calls\": 2"))
{
    open_slot(fixture, 0);
    check_call(fixture, CALL("1", "one.echo"), ECHOED("1"));
    check_call(fixture, CALL("2", "none.echo"),
               ERROR("2", "-32602", "the tool 'none.echo' is not allowed"));
    check_call(fixture, CALL("3", "one.echo"),
               ERROR("3", "-32602", "all 2 calls of tools are made"));
}

CASE_WITH(tool_socket__bytes_of_a_run,
          set_up(fixture, FAKE("one", "huge", ALL), "\"valueBytes\": 2000, \"totalBytes\": 2500"))
{
    static const char call[] = "{\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
                               "\"one.echo\",\"arguments\":{\"bytes\":1500}}}";
    CLEANUP_FREE char *first = NULL;

    open_slot(fixture, 0);
    send_line(fixture, 0, call);
    first = next_line(fixture, 0);
    assert_true(strlen(first) > 1500);
    check_call(fixture, call,
               ERROR("1", "-32602",
                     "the results of all calls would have more than 2500 bytes together: ask for "
                     "less"));
    check_call(fixture, CALL("2", "one.echo"),
               ERROR("2", "-32603",
                     "the value of 'one.echo' has 5055 bytes, more than 2000: ask for less"));
    check_log(fixture, "one.echo ok;one.echo failed;one.echo failed;");
}

/* A call that waits holds up neither another connection nor others of its own. */
CASE_WITH(tool_socket__no_head_of_line_blocking,
          set_up(fixture, FAKE("slow", "cancels", ALL) "," FAKE("one", "good", ALL),
                 "\"atOnce\": 2"))
{
    open_slot(fixture, 0);
    open_slot(fixture, 1);
    send_line(fixture, 0, CALL("0", "slow.cancelled"));
    free(next_line(fixture, 0)); /* the server has started */
    send_line(fixture, 0, CALL("1", "slow.echo"));
    check_call(fixture, CALL("2", "one.echo"), ECHOED("2"));
    send_line(fixture, 1, CALL("3", "one.echo"));
    expect_line(fixture, 1, ECHOED("3"));
    /* two wait: one that would be the third begins when one of them is cancelled */
    send_line(fixture, 0, CALL("4", "slow.echo"));
    send_line(fixture, 1, CALL("5", "one.echo"));
    for (int i = 0; i < 20; i++)
        wait_once(fixture);
    assert_int_equal(fixture->data[1].length, 0);
    send_line(fixture, 0, "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":4}}");
    expect_line(fixture, 1, ECHOED("5"));
    check_log(fixture, "slow.cancelled ok;one.echo ok;one.echo ok;slow.echo failed;one.echo ok;");
}

/* Many requests at once: each gets its answer, and no more is read than there is room for. */
CASE_WITH(tool_socket__many_requests, set_up(fixture, FAKE("one", "good", ALL), "\"calls\": 1000"))
{
    enum { CALLS = 300 };
    bool answered[CALLS] = {false};

    open_slot(fixture, 0);
    for (int i = 0; i < CALLS; i++) {
        CLEANUP_FREE char *line = string_format(
            "{\"id\":%d,\"method\":\"tools/call\",\"params\":{\"name\":\"one.echo\"}}", i);

        send_line(fixture, 0, line);
    }
    for (int i = 0; i < CALLS; i++) {
        CLEANUP_FREE char *line = next_line(fixture, 0);
        json_t *answer = json_loads(line, 0, NULL);
        const json_int_t id = json_integer_value(json_object_get(answer, "id"));

        assert_true(id >= 0 && id < CALLS && !answered[id]);
        assert_non_null(json_object_get(answer, "result"));
        answered[id] = true;
        json_decref(answer);
    }
    assert_int_equal(fixture->log.succeeded, CALLS);
}

/* ---- the end */

/* A program that ends its side gets all answers before the connection is closed. */
CASE_WITH(tool_socket__half_close, set_up(fixture, FAKE("one", "good", ALL), NULL))
{
    static const char call[] = CALL("1", "one.echo");

    open_slot(fixture, 0);
    send_bytes(fixture, 0, call, strlen(call)); /* without a newline */
    say(fixture, 0, MUX_END, NULL, 0);
    expect_line(fixture, 0, ECHOED("1"));
    while (!fixture->closed[0])
        wait_once(fixture);
    say(fixture, 0, MUX_CLOSE, NULL, 0);
    open_slot(fixture, 0);
    check_call(fixture, CALL("2", "one.echo"), ECHOED("2"));
}

#define CANCELLED(id, ids)                                                                         \
    "{\"jsonrpc\":\"2.0\",\"id\":" id                                                              \
    ",\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"" ids "\"}],\"isError\":false}}"

/* Calls of a program that goes away, and at the end of the run, are cancelled and noted. */
CASE_WITH(tool_socket__cancels, set_up(fixture, FAKE("one", "cancels", ALL), NULL))
{
    open_slot(fixture, 0);
    open_slot(fixture, 1);
    send_line(fixture, 0, CALL("1", "one.echo"));
    send_line(fixture, 1, CALL("2", "one.list_things"));
    send_line(fixture, 1, CALL("3", "one.cancelled"));
    expect_line(fixture, 1, CANCELLED("3", "[]")); /* so the server has the two before it */
    say(fixture, 0, MUX_CLOSE, NULL, 0);
    check_log(fixture, "one.cancelled ok;one.echo failed;");
    send_line(fixture, 1, CALL("4", "one.cancelled"));
    expect_line(fixture, 1, CANCELLED("4", "[3]"));
    tool_socket_free(fixture->socket);
    fixture->socket = NULL;
    check_log(fixture, "one.cancelled ok;one.echo failed;one.cancelled ok;one.list_things failed;");
}

/* A server that cannot start is a failure of the call, and a warning. */
CASE_WITH(tool_socket__dead_server,
          set_up(fixture, FAKE("dead", "dies-at-start", ALL) "," FAKE("one", "good", ALL), NULL))
{
    open_slot(fixture, 0);
    check_call(fixture, CALL("1", "dead.echo"),
               ERROR("1", "-32603", "tool server 'dead': has ended with exit status 3"));
    send_line(fixture, 0, "{\"id\":2,\"method\":\"tools/list\"}");
    {
        CLEANUP_FREE char *line = next_line(fixture, 0);

        assert_non_null(strstr(line, "\"one.echo\""));
        assert_null(strstr(line, "dead"));
    }
    assert_true(fixture->log.warnings.count >= 1);
    assert_string_equal(fixture->log.warnings.items[0],
                        "tool server 'dead': has ended with exit status 3");
}

/* A list of many tools has pages. */
CASE_WITH(tool_socket__pages,
          set_up(fixture, FAKE("one", "broad", ALL) "," FAKE("two", "good", ALL), NULL))
{
    CLEANUP_FREE char *cursor = NULL;
    size_t count = 0;
    int pages = 0;

    open_slot(fixture, 0);
    do {
        CLEANUP_FREE char *line = NULL;
        CLEANUP_FREE char *request =
            string_format("{\"id\":1,\"method\":\"tools/list\",\"params\":{%s%s%s}}",
                          cursor ? "\"cursor\":\"" : "", cursor ? cursor : "", cursor ? "\"" : "");
        json_t *answer, *result;

        send_line(fixture, 0, request);
        line = next_line(fixture, 0);
        answer = json_loads(line, 0, NULL);
        result = json_object_get(answer, "result");
        assert_non_null(result);
        count += json_array_size(json_object_get(result, "tools"));
        free(cursor);
        cursor = json_object_get(result, "nextCursor")
                     ? string_copy(json_string_value(json_object_get(result, "nextCursor")))
                     : NULL;
        json_decref(answer);
        assert_true(++pages < 30);
    } while (cursor);
    assert_int_equal(count, 1003);
    assert_true(pages > 1);
}

/* A tool of which its server says too much is left out, with a warning; the others are listed. */
CASE_WITH(tool_socket__a_tool_that_is_too_large, set_up(fixture, FAKE("one", "fat", ALL), NULL))
{
    CLEANUP_FREE char *line = NULL;

    open_slot(fixture, 0);
    send_line(fixture, 0, "{\"id\":1,\"method\":\"tools/list\"}");
    line = next_line(fixture, 0);
    assert_non_null(strstr(line, "\"one.echo\""));
    assert_null(strstr(line, "\"one.fat\""));
    assert_int_equal(fixture->log.warnings.count, 1);
    assert_string_equal(fixture->log.warnings.items[0],
                        "the tool 'one.fat' is not listed: what its server says of it has 1000094 "
                        "bytes");
}

/* ---- a session without a relay: what one turn does */

struct turn {
    struct fixture fixture;
    struct tool_use use;
    struct tool_session *session;
};

static void say_to_session(struct turn *turn, const char *line)
{
    tool_session_take(turn->session, line, strlen(line));
}

#define LIST "{\"id\":1,\"method\":\"tools/list\"}"

/* Serves until the list of the server is known, and drops the answer. */
static void begin_turn(struct turn *turn, const char *tools)
{
    const long long hangs = clock_now_ms() + HANGS_MS;
    struct error error = ERROR_INIT;

    set_up(&turn->fixture, tools, NULL);
    turn->use = (struct tool_use){.set = turn->fixture.set,
                                  .servers = &turn->fixture.servers,
                                  .log = &turn->fixture.log,
                                  .consent = &turn->fixture.consent,
                                  .done = NOTIFIER_INIT,
                                  .pages_left = 1};
    assert_int_equal(notifier_open(&turn->use.done, &error), 0);
    turn->session = tool_session_new(&turn->use);
    say_to_session(turn, LIST);
    while (tool_session_is_busy(turn->session)) {
        assert_true(clock_now_ms() < hangs);
        io_poll(NULL, 0, 10);
        tool_session_serve(turn->session);
    }
    strbuf_drop(tool_session_out(turn->session), tool_session_out(turn->session)->length);
    notifier_clear(&turn->use.done);
}

static void end_turn(struct turn *turn)
{
    tool_session_free(turn->session);
    notifier_release(&turn->use.done);
    tear_down(&turn->fixture);
}

/* How many answers there are, which are dropped. */
static int count_answers(struct turn *turn)
{
    struct strbuf *out = tool_session_out(turn->session);
    int count = 0;

    for (size_t i = 0; i < out->length; i++)
        count += out->data[i] == '\n';
    strbuf_drop(out, out->length);
    return count;
}

/* Whether it is raised; it is cleared. */
static bool take_wake(struct turn *turn)
{
    struct pollfd polled = {notifier_fd(&turn->use.done), POLLIN, 0};
    const bool raised = io_poll(&polled, 1, 0) > 0;

    notifier_clear(&turn->use.done);
    return raised;
}

/* Pages of lists are made a few at a time, and the rest is not forgotten. */
CASE(tool_session__pages_of_a_turn)
{
    struct turn turn;

    begin_turn(&turn, FAKE("one", "good", ALL));
    for (int i = 0; i < 7; i++)
        say_to_session(&turn, LIST);
    turn.use.pages_left = 4;
    tool_session_serve(turn.session);
    assert_int_equal(count_answers(&turn), 4);
    take_wake(&turn);
    tool_session_serve(turn.session); /* the others have not had their turn */
    assert_int_equal(count_answers(&turn), 0);
    assert_true(take_wake(&turn));
    turn.use.pages_left = 4;
    tool_session_serve(turn.session);
    assert_int_equal(count_answers(&turn), 3);
    end_turn(&turn);
}

/* No more answers are made while the program does not take those that there are. */
CASE(tool_session__answers_that_are_not_taken)
{
    struct turn turn;

    begin_turn(&turn, FAKE("one", "broad", ALL)); /* a page has 250000 bytes */
    for (int i = 0; i < 10; i++)
        say_to_session(&turn, LIST);
    turn.use.pages_left = 100;
    tool_session_serve(turn.session);
    assert_int_equal(count_answers(&turn), 2);
    tool_session_serve(turn.session);
    assert_int_equal(count_answers(&turn), 2);
    assert_true(tool_session_is_busy(turn.session));
    end_turn(&turn);
}

/* A connection that waits since all have too many bytes goes on once there are fewer. */
CASE(tool_session__room_again)
{
    struct turn turn;

    begin_turn(&turn, FAKE("one", "good", ALL));
    turn.use.waiting_bytes = TOOL_USE_BYTES_MAX - 1;
    assert_true(tool_session_has_room(turn.session));
    say_to_session(&turn, LIST);
    assert_false(tool_session_has_room(turn.session));
    assert_false(take_wake(&turn));
    say_to_session(&turn, "{\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}");
    assert_true(tool_session_has_room(turn.session));
    assert_true(take_wake(&turn));
    end_turn(&turn);
}

/* ---- the relay */

static void check_broken(unsigned slot, enum mux_type type, const char *payload, size_t length)
{
    struct fixture fixture;

    set_up(&fixture, FAKE("one", "good", ALL), NULL);
    open_slot(&fixture, 0);
    say(&fixture, slot, type, payload, length);
    if (fixture.log.warnings.count != 1)
        fail_msg("slot %u, type %d: not broken off", slot, (int)type);
    tear_down(&fixture);
}

CASE(tool_socket__relay_that_lies)
{
    static const char bytes[MUX_WINDOW + 1];

    check_broken(0, MUX_OPEN, NULL, 0);
    check_broken(1, MUX_DATA, "x", 1);
    check_broken(1, MUX_CLOSE, NULL, 0);
    check_broken(1, MUX_END, NULL, 0);
    check_broken(0, MUX_DATA, bytes, MUX_DATA_MAX + 1);
    check_broken(0, MUX_CREDIT, "\1\0\0\0", 4); /* more than the window */
    check_broken(0, MUX_DATA, "", 0);
    check_broken(MUX_TOOLS_MAX, MUX_OPEN, NULL, 0);
}

CASE_WITH(tool_socket__no_socket, set_up(fixture, FAKE("one", "good", ALL), NULL))
{
    static const unsigned char number[4] = {13, 0, 0, 0};

    say(fixture, 0, MUX_FAILED, number, sizeof number);
    assert_int_equal(fixture->log.warnings.count, 1);
    assert_string_equal(fixture->log.warnings.items[0],
                        "the program cannot call tools: cannot listen at '/tmp/.isolator-tools' in "
                        "the container: Permission denied");
}

/* A program that sends without end is cut off. */
CASE_WITH(tool_socket__flood, set_up(fixture, FAKE("one", "good", ALL), "\"calls\": 1"))
{
    CLEANUP(strbuf_release) struct strbuf pings = STRBUF_INIT;

    open_slot(fixture, 0);
    for (int i = 0; i < 100; i++)
        strbuf_addstr(&pings, "{\"id\":1,\"method\":\"ping\"}\n");
    for (int i = 0; i < 102 && !fixture->closed[0]; i++) {
        send_bytes(fixture, 0, pings.data, pings.length);
        drain(fixture);
        strbuf_drop(&fixture->data[0], fixture->data[0].length);
    }
    assert_true(fixture->closed[0]);
    assert_int_equal(fixture->log.warnings.count, 1);
    open_slot(fixture, 1); /* another connection does not help */
    send_line(fixture, 1, "{\"id\":1,\"method\":\"ping\"}");
    drain(fixture);
    assert_true(fixture->closed[1]);
    assert_int_equal(fixture->data[1].length, 0);
}

/* No server starts when the others have been told to end: no one would end it. */
CASE_WITH(tool_set__no_server_at_the_end, set_up(fixture, FAKE("one", "good", ALL), NULL))
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    tool_set_end(fixture->set);
    assert_null(tool_set_upstream(fixture->set, tool_set_find(fixture->set, "one"), &error));
    assert_error(&error, ERROR_CANCELLED, "isolator ends");
    assert_true(tool_set_wait(fixture->set, 0));
}

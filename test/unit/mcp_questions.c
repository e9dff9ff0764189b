#include "json.h"

#include <unistd.h>

#include "base/clock.h"
#include "mcp/questions.h"

struct fixture {
    struct writer writer;
    struct questions questions;
    struct notifier wake, done;
    int pipe[2];
};

static void set_up(struct fixture *fixture, const char *revision, const char *capabilities)
{
    struct error error = ERROR_INIT;
    json_t *value = json_of(capabilities);

    *fixture = (struct fixture){.wake = NOTIFIER_INIT, .done = NOTIFIER_INIT};
    assert_int_equal(notifier_open(&fixture->wake, &error), 0);
    assert_int_equal(notifier_open(&fixture->done, &error), 0);
    assert_int_equal(pipe(fixture->pipe), 0);
    assert_int_equal(writer_start(&fixture->writer, fixture->pipe[1], &fixture->wake, &error), 0);
    questions_init(&fixture->questions, &fixture->writer);
    questions_set_client(&fixture->questions, revision_legacy(revision), value);
    json_decref(value);
}

static void tear_down(struct fixture *fixture)
{
    assert_int_equal(writer_finish(&fixture->writer, clock_now_ms() + 60000), 0);
    questions_release(&fixture->questions);
    notifier_release(&fixture->wake);
    notifier_release(&fixture->done);
    close(fixture->pipe[0]);
    close(fixture->pipe[1]);
}

/* The next line that was written, as JSON; a new reference. */
static json_t *next_line(const struct fixture *fixture)
{
    char line[4096];
    size_t length = 0;

    do
        assert_int_equal(read(fixture->pipe[0], line + length, 1), 1);
    while (line[length++] != '\n' && length < sizeof line);
    return json_loadb(line, length, 0, NULL);
}

/* A response to this id; `rest` is what it has in addition. */
static void say(struct fixture *fixture, const char *id, const char *rest)
{
    CLEANUP_FREE char *text = string_format("{\"jsonrpc\": \"2.0\", \"id\": \"%s\", %s}", id, rest);
    json_t *message = json_of(text);

    questions_take(&fixture->questions, message);
    json_decref(message);
}

/* What the response makes of a question. `rest` follows the id. */
static enum tool_decision decision_of(const char *rest)
{
    const struct tool_asker *asker;
    struct fixture fixture;
    struct tool_question *question;
    enum tool_decision decision;
    const char *id;
    json_t *line;

    set_up(&fixture, "2025-11-25", "{\"elicitation\": {}}");
    asker = &fixture.questions.asker;
    question = asker->ask(asker->context, "text", &fixture.done);
    line = next_line(&fixture);
    id = json_string_value(json_object_get(line, "id"));
    say(&fixture, "another", rest);
    assert_int_equal(asker->take(asker->context, question), TOOL_UNDECIDED);
    assert_false(notifier_raised(&fixture.done));
    say(&fixture, id, rest);
    assert_true(notifier_raised(&fixture.done));
    say(&fixture, id, "\"result\": {\"action\": \"decline\"}"); /* too late */
    decision = asker->take(asker->context, question);
    json_decref(line);
    tear_down(&fixture);
    return decision;
}

#define ACCEPT(content) "\"result\": {\"action\": \"accept\", \"content\": " content "}"

CASE(questions__answers)
{
    assert_int_equal(decision_of(ACCEPT("{\"answer\": \"allow once\"}")), TOOL_AGREED);
    assert_int_equal(
        decision_of(ACCEPT("{\"answer\": \"allow for this run, with any arguments\"}")),
        TOOL_AGREED_FOR_RUN);
    assert_int_equal(decision_of(ACCEPT("{\"answer\": \"refuse\"}")), TOOL_REFUSED_FOR_RUN);
    assert_int_equal(decision_of("\"result\": {\"action\": \"decline\"}"), TOOL_DECLINED);
    assert_int_equal(decision_of("\"result\": {\"action\": \"cancel\"}"), TOOL_DISMISSED);
}

CASE(questions__unclear_answers)
{
    static const char *const answers[] = {
        ACCEPT("{\"answer\": \"allow\"}"),
        ACCEPT("{\"answer\": \"allow once \"}"),
        ACCEPT("{\"answer\": \"allow once\\u0000\"}"),
        ACCEPT("{\"answer\": [\"allow once\"]}"),
        ACCEPT("{}"),
        ACCEPT("\"allow once\""),
        "\"result\": {\"content\": {\"answer\": \"allow once\"}}",
        "\"result\": {\"action\": \"Accept\", \"content\": {\"answer\": \"allow once\"}}",
        "\"result\": []",
        "\"error\": {\"code\": -32601, \"message\": \"no\"}",
    };

    for (size_t i = 0; i < COUNT(answers); i++)
        assert_int_equal(decision_of(answers[i]), TOOL_DISMISSED);
}

CASE(questions__cancelled)
{
    const struct tool_asker *asker;
    struct tool_question *question;
    struct fixture fixture;
    json_t *asked, *cancelled;

    set_up(&fixture, "2025-06-18", "{\"elicitation\": {\"form\": {}}}");
    asker = &fixture.questions.asker;
    question = asker->ask(asker->context, "text", &fixture.done);
    asked = next_line(&fixture);
    asker->cancel(asker->context, question);
    cancelled = next_line(&fixture);
    assert_string_equal(json_string_value(json_object_get(cancelled, "method")),
                        "notifications/cancelled");
    assert_true(json_equal(json_object_get(json_object_get(cancelled, "params"), "requestId"),
                           json_object_get(asked, "id")));
    say(&fixture, json_string_value(json_object_get(asked, "id")), "\"result\": {}"); /* late */
    json_decref(asked);
    json_decref(cancelled);
    tear_down(&fixture);
}

/* With these capabilities in initialize, and those of a request of a modern revision or NULL. */
static bool can_ask(const char *revision, const char *capabilities, const char *of_request)
{
    json_t *own = of_request ? json_of(of_request) : NULL;
    struct fixture fixture;
    bool can;

    set_up(&fixture, revision, capabilities);
    can = questions_can_ask(&fixture.questions,
                            own ? revision_modern("2026-07-28") : revision_legacy(revision), own);
    tear_down(&fixture);
    json_decref(own);
    return can;
}

CASE(questions__who_can_be_asked)
{
    assert_true(can_ask("2025-06-18", "{\"elicitation\": {}}", NULL));
    assert_true(can_ask("2025-11-25", "{\"elicitation\": {\"form\": {}, \"url\": {}}}", NULL));
    assert_false(can_ask("2025-11-25", "{\"elicitation\": {\"url\": {}}}", NULL));
    assert_false(can_ask("2025-11-25", "{\"elicitation\": true}", NULL));
    assert_false(can_ask("2025-11-25", "{}", NULL));
    assert_false(can_ask("2025-03-26", "{\"elicitation\": {}}", NULL));
    assert_false(can_ask("2025-11-25", "{\"elicitation\": {}}", "{}"));
    assert_false(can_ask("2025-11-25", "{}", "{\"elicitation\": {\"url\": {}}}"));
    assert_true(can_ask("2025-11-25", "{}", "{\"elicitation\": {\"form\": {}}}"));
}

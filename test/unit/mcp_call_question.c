#include "json.h"

#include <poll.h>
#include <unistd.h>

#include "base/clock.h"
#include "mcp/call_question.h"

/* A call whose client must be asked, and the pipe that its responses come from. */
struct fixture {
    struct writer writer;
    struct notifier wake, done;
    int pipe[2];
    pthread_mutex_t lock;
    struct responder responder;
    bool closed;
    struct call_question questions;
    const struct tool_asker *asker;
};

static const char DIGEST[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

/* The next request of the client, with this id. */
static void request(struct fixture *fixture, int id)
{
    json_t *value = json_integer(id);

    responder_init(&fixture->responder, &fixture->writer, revision_modern("2026-07-28"), value,
                   NULL);
    json_decref(value);
}

static void set_up(struct fixture *fixture)
{
    struct error error = ERROR_INIT;

    *fixture = (struct fixture){.wake = NOTIFIER_INIT, .done = NOTIFIER_INIT};
    pthread_mutex_init(&fixture->lock, NULL);
    assert_int_equal(notifier_open(&fixture->wake, &error), 0);
    assert_int_equal(notifier_open(&fixture->done, &error), 0);
    assert_int_equal(pipe(fixture->pipe), 0);
    assert_int_equal(writer_start(&fixture->writer, fixture->pipe[1], &fixture->wake, &error), 0);
    request(fixture, 1);
    call_question_init(&fixture->questions, &fixture->lock, &fixture->responder, &fixture->closed,
                       DIGEST);
    fixture->asker = &fixture->questions.asker;
}

/* No line was sent that the test has not read. */
static void tear_down(struct fixture *fixture)
{
    struct pollfd polled = {fixture->pipe[0], POLLIN, 0};

    responder_nothing(&fixture->responder);
    call_question_release(&fixture->questions);
    assert_int_equal(writer_finish(&fixture->writer, clock_now_ms() + 60000), 0);
    assert_int_equal(poll(&polled, 1, 0), 0);
    notifier_release(&fixture->wake);
    notifier_release(&fixture->done);
    pthread_mutex_destroy(&fixture->lock);
    close(fixture->pipe[0]);
    close(fixture->pipe[1]);
}

static struct tool_question *ask(struct fixture *fixture, const char *text)
{
    return fixture->asker->ask(fixture->asker->context, text, &fixture->done);
}

static enum tool_decision take(struct fixture *fixture, struct tool_question *question)
{
    return fixture->asker->take(fixture->asker->context, question);
}

/*
 * Reads the next response, which must be for this id and ask this text by this name. Writes the key
 * of the request that has to follow.
 */
static void check_question(const struct fixture *fixture, int id, const char *name,
                           const char *text, struct call_question_key *key)
{
    char line[4096];
    size_t length = 0;
    const char *seen_name, *method, *message, *state, *type;
    json_t *response, *params;
    int seen_id;

    do
        assert_int_equal(read(fixture->pipe[0], line + length, 1), 1);
    while (line[length++] != '\n' && length < sizeof line);
    response = json_loadb(line, length, 0, NULL);
    assert_int_equal(json_unpack(response, "{s:i, s:{s:s, s:o, s:s}}", "id", &seen_id, "result",
                                 "resultType", &type, "inputRequests", &params, "requestState",
                                 &state),
                     0);
    assert_int_equal(seen_id, id);
    assert_string_equal(type, "input_required");
    assert_int_equal(json_object_size(params), 1);
    seen_name = json_object_iter_key(json_object_iter(params));
    assert_string_equal(seen_name, name);
    assert_int_equal(json_unpack(json_object_get(params, name), "{s:s, s:{s:s, s:{}}}", "method",
                                 &method, "params", "message", &message, "requestedSchema"),
                     0);
    assert_string_equal(method, "elicitation/create");
    assert_string_equal(message, text);
    assert_int_equal(strlen(state), CALL_QUESTION_STATE_SIZE - 1);
    memcpy(key->state, state, sizeof key->state);
    memcpy(key->digest, DIGEST, sizeof key->digest);
    json_decref(response);
}

/* The client repeats the call with these responses. */
static void resume(struct fixture *fixture, int id, const char *responses)
{
    json_t *value = responses ? json_of(responses) : NULL;

    request(fixture, id);
    call_question_resume(&fixture->questions, value);
    json_decref(value);
}

#define ANSWER(name, answer)                                                                       \
    "{\"" name "\": {\"action\": \"accept\", \"content\": {\"answer\": \"" answer "\"}}}"

CASE_WITH(rounds__a_question_and_its_answer, set_up(fixture))
{
    struct tool_question *question;
    struct call_question_key key, other;

    question = ask(fixture, "one?");
    check_question(fixture, 1, "question-1", "one?", &key);
    assert_int_equal(take(fixture, question), TOOL_UNDECIDED);
    assert_true(call_question_matches(&fixture->questions, &key));
    resume(fixture, 2, ANSWER("question-1", "allow once"));
    assert_false(call_question_matches(&fixture->questions, &key)); /* it was used */
    assert_true(notifier_raised(&fixture->done));
    assert_int_equal(take(fixture, question), TOOL_AGREED);
    question = ask(fixture, "two?");
    check_question(fixture, 2, "question-2", "two?", &other);
    assert_false(call_question_matches(&fixture->questions, &key));
    resume(fixture, 3, ANSWER("question-2", "refuse"));
    assert_int_equal(take(fixture, question), TOOL_REFUSED_FOR_RUN);
}

static bool responded(const struct fixture *fixture, const char *id)
{
    json_t *value = json_of(id);
    const bool result = call_question_responded(&fixture->questions, value);

    json_decref(value);
    return result;
}

CASE_WITH(rounds__the_request_that_was_responded_to, set_up(fixture))
{
    struct tool_question *question;
    struct call_question_key key;

    assert_false(responded(fixture, "1")); /* it has no response */
    question = ask(fixture, "?");
    check_question(fixture, 1, "question-1", "?", &key);
    assert_true(responded(fixture, "1"));
    assert_false(responded(fixture, "\"1\""));
    resume(fixture, 2, NULL);
    check_question(fixture, 2, "question-1", "?", &key);
    assert_true(responded(fixture, "2"));
    assert_false(responded(fixture, "1"));
    resume(fixture, 3, ANSWER("question-1", "allow once"));
    assert_false(responded(fixture, "2")); /* the call goes on with the next request */
    assert_int_equal(take(fixture, question), TOOL_AGREED);
}

CASE_WITH(rounds__keys_of_other_calls, set_up(fixture))
{
    struct call_question_key key, other;
    struct tool_question *question;

    memset(&key, 0, sizeof key);
    memcpy(key.digest, DIGEST, sizeof key.digest);
    assert_false(call_question_matches(&fixture->questions, &key)); /* it has not asked */
    question = ask(fixture, "?");
    check_question(fixture, 1, "question-1", "?", &key);
    other = key;
    other.state[0] = other.state[0] == 'x' ? 'y' : 'x';
    assert_false(call_question_matches(&fixture->questions, &other));
    other = key;
    call_question_digest("execute_code", NULL, other.digest);
    assert_false(call_question_matches(&fixture->questions, &other));
    fixture->asker->cancel(fixture->asker->context, question);
}

CASE_WITH(rounds__a_missing_answer_is_asked_for_again, set_up(fixture))
{
    struct tool_question *question;
    struct call_question_key key;

    question = ask(fixture, "?");
    check_question(fixture, 1, "question-1", "?", &key);
    resume(fixture, 2, ANSWER("question-2", "allow once"));
    check_question(fixture, 2, "question-1", "?", &key);
    resume(fixture, 3, NULL);
    check_question(fixture, 3, "question-1", "?", &key);
    resume(fixture, 4, "{\"question-1\": \"allow once\"}");
    assert_int_equal(take(fixture, question), TOOL_DISMISSED);
}

CASE_WITH(rounds__asked_while_the_client_is_away, set_up(fixture))
{
    struct tool_question *question;
    struct call_question_key key;

    question = ask(fixture, "one?");
    check_question(fixture, 1, "question-1", "one?", &key);
    fixture->asker->cancel(fixture->asker->context, question);
    question = ask(fixture, "two?");
    assert_true(call_question_matches(&fixture->questions, &key));
    resume(fixture, 2, ANSWER("question-1", "allow for this run, with any arguments"));
    assert_int_equal(take(fixture, question), TOOL_UNDECIDED);
    check_question(fixture, 2, "question-2", "two?", &key);
    fixture->asker->cancel(fixture->asker->context, question);
    resume(fixture, 3, ANSWER("question-2", "allow once"));
}

CASE_WITH(rounds__no_more_than_clients_repeat, set_up(fixture))
{
    struct tool_question *question;
    struct call_question_key key;

    question = ask(fixture, "?");
    for (int i = 1; i <= 10; i++) {
        check_question(fixture, i, "question-1", "?", &key);
        resume(fixture, i + 1, NULL);
    }
    assert_int_equal(take(fixture, question), TOOL_DISMISSED);
    assert_null(ask(fixture, "?"));
}

CASE_WITH(rounds__a_cancelled_call_asks_no_more, set_up(fixture))
{
    fixture->closed = true;
    assert_null(ask(fixture, "?"));
}

static void digest_of(const char *tool, const char *arguments, char *digest)
{
    json_t *value = arguments ? json_of(arguments) : NULL;

    call_question_digest(tool, value, digest);
    json_decref(value);
}

CASE(rounds__digests)
{
    char one[SHA256_HEX_SIZE], other[SHA256_HEX_SIZE];

    digest_of("a", "{\"x\": 1, \"y\": [2]}", one);
    digest_of("a", "{ \"y\": [2], \"x\": 1}", other);
    assert_string_equal(one, other);
    digest_of("b", "{\"x\": 1, \"y\": [2]}", other);
    assert_string_not_equal(one, other);
    digest_of("a", "{\"x\": 1, \"y\": [3]}", other);
    assert_string_not_equal(one, other);
    digest_of("a", NULL, other);
    assert_string_not_equal(one, other);
}

CASE(rounds__results)
{
    struct unclaimed_results results = {.next = 0};
    struct call_question_key key = {"", ""};
    json_t *result;

    for (int i = 0; i < UNCLAIMED_RESULTS_MAX + 1; i++) {
        snprintf(key.state, sizeof key.state, "state %d", i);
        unclaimed_results_keep(&results, &key, json_integer(i));
    }
    result = unclaimed_results_take(&results, &key);
    assert_int_equal(json_integer_value(result), UNCLAIMED_RESULTS_MAX);
    json_decref(result);
    assert_null(unclaimed_results_take(&results, &key)); /* it was taken */
    snprintf(key.state, sizeof key.state, "state 0");
    assert_null(unclaimed_results_take(&results, &key)); /* the oldest */
    snprintf(key.state, sizeof key.state, "state 1");
    snprintf(key.digest, sizeof key.digest, "another");
    assert_null(unclaimed_results_take(&results, &key));
    unclaimed_results_release(&results);
}

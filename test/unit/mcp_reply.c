#include "mcp_client.h"

#include "mcp/jsonrpc.h"
#include "mcp/reply.h"

/* A reply to the request of this id (a JSON text) by the revision, in the batch or NULL. */
static struct reply reply_to(struct client *client, const char *revision, const char *id,
                             struct batch *batch)
{
    const struct revision *modern = revision_modern(revision);
    json_t *value = json_of(id);
    struct reply reply;

    reply_init(&reply, &client->outbox, modern ? modern : revision_legacy(revision), value, batch);
    json_decref(value);
    return reply;
}

/* ---- one answer */

static void reply__results_of_legacy_revisions(void **state)
{
    struct client client;
    struct reply one, other;

    (void)state;
    client_open(&client);
    one = reply_to(&client, "2024-11-05", "1", NULL);
    other = reply_to(&client, "2025-11-25", "\"a\"", NULL);
    reply_result(&one, json_of("{\"x\": 1}"));
    reply_result(&other, json_of("{}"));
    client_check(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":1}}\n"
                          "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{}}\n");
}

#define SERVER_INFO                                                                                \
    "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"isolator\",\"version\":"                   \
    "\"" ISOLATOR_VERSION "\",\"title\":\"isolator: untrusted code in containers\"}"

static void reply__no_message_is_too_large(void **state)
{
    struct client client;
    struct reply reply;
    char *text = memory_allocate(1000001);

    (void)state;
    memset(text, 'x', 1000000);
    text[1000000] = '\0';
    client_open(&client);
    reply = reply_to(&client, "2025-11-25", "1", NULL);
    reply_result(&reply, json_pack("{s:s}", "text", text));
    free(text);
    client_check(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,"
                          "\"message\":\"the answer is too large\"}}\n");
}

static void reply__results_of_the_modern_revision(void **state)
{
    struct client client;
    struct reply reply;

    (void)state;
    client_open(&client);
    reply = reply_to(&client, "2026-07-28", "1", NULL);
    reply_result(&reply, json_of("{\"x\": 1}"));
    client_check(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":1,"
                          "\"resultType\":\"complete\",\"_meta\":{" SERVER_INFO "}}}\n");
}

static void reply__modern_results_keep_their_metadata(void **state)
{
    struct client client;
    struct reply reply;

    (void)state;
    client_open(&client);
    reply = reply_to(&client, "2026-07-28", "1", NULL);
    reply_result(&reply, json_of("{\"_meta\": {\"mine\": 2}, \"x\": 1}"));
    client_check(&client,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"_meta\":{\"mine\":2," SERVER_INFO
                 "},\"x\":1,\"resultType\":\"complete\"}}\n");
}

static void reply__errors(void **state)
{
    struct client client;
    struct reply reply;

    (void)state;
    client_open(&client);
    reply = reply_to(&client, "2024-11-05", "1", NULL);
    reply_error(&reply, JSONRPC_INVALID_PARAMS, NULL, "%s is %d", "it", 5);
    reply = reply_to(&client, "2026-07-28", "2", NULL); /* nothing of the results' */
    reply_error(&reply, JSONRPC_UNSUPPORTED_VERSION, json_of("{\"y\": []}"), "no");
    client_check(
        &client,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"it is 5\"}}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32022,\"message\":\"no\","
        "\"data\":{\"y\":[]}}}\n");
}

/* Names of methods and the like come from the client, and may have been cut in a character. */
static void reply__errors_are_safe_to_show(void **state)
{
    struct client client;
    struct reply reply;

    (void)state;
    client_open(&client);
    reply = reply_to(&client, "2024-11-05", "1", NULL);
    reply_error(&reply, JSONRPC_METHOD_NOT_FOUND, NULL, "'%.4s'", "a\x1b\n\xc3\xa9");
    client_check(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,"
                          "\"message\":\"'a\\\\x1b\\\\n\\\\xc3'\"}}\n");
}

static void reply__errors_without_an_id(void **state)
{
    struct client client;
    struct reply reply;

    (void)state;
    client_open(&client);
    reply_init(&reply, &client.outbox, revision_legacy(""), NULL, NULL);
    reply_error(&reply, JSONRPC_PARSE_ERROR, NULL, "no JSON");
    client_check(&client,
                 "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"no JSON\"}}\n");
}

static void reply__nothing(void **state)
{
    struct client client;
    struct reply reply;

    (void)state;
    client_open(&client);
    reply = reply_to(&client, "2024-11-05", "\"owned\"", NULL);
    reply_nothing(&reply);
    reply_nothing(&reply); /* it is used up */
    client_check(&client, "");
}

static void reply__notifications(void **state)
{
    struct client client;

    (void)state;
    client_open(&client);
    reply_notify(&client.outbox, "notifications/progress", json_of("{\"progress\": 0.25}"));
    client_check(&client, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
                          "\"params\":{\"progress\":0.25}}\n");
}

static void check_info(const char *revision, const char *expected)
{
    const struct revision *modern = revision_modern(revision);

    check_new_json(reply_server_info(modern ? modern : revision_legacy(revision)), expected);
}

static void reply__server_info_by_revision(void **state)
{
    static const char old[] = "{\"name\":\"isolator\",\"version\":\"" ISOLATOR_VERSION "\"}";
    static const char titled[] = "{\"name\":\"isolator\",\"version\":\"" ISOLATOR_VERSION
                                 "\",\"title\":\"isolator: untrusted code in containers\"}";

    (void)state;
    check_info("2024-11-05", old);
    check_info("2025-03-26", old);
    check_info("2025-06-18", titled);
    check_info("2026-07-28", titled);
}

/* ---- batches */

static struct reply in_batch(struct client *client, const char *id, struct batch *batch)
{
    return reply_to(client, "2025-03-26", id, batch);
}

#define RESULT(id) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"result\":{}}"

static void batch__answers_go_out_as_one_array(void **state)
{
    struct client client;
    struct batch *batch;
    struct reply one, other;

    (void)state;
    client_open(&client);
    batch = batch_new(&client.outbox);
    one = in_batch(&client, "1", batch);
    reply_result(&one, json_object());
    other = in_batch(&client, "2", batch);
    reply_error(&other, JSONRPC_INVALID_PARAMS, NULL, "bad");
    batch_drop(batch);
    client_check(&client, "[" RESULT(1) ",{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{"
                                        "\"code\":-32602,\"message\":\"bad\"}}]\n");
}

/* A tool's answer comes when the rest of the batch is long read. */
static void batch__waits_for_the_last_answer(void **state)
{
    struct client client;
    struct batch *batch;
    struct reply replies[3];
    const char *const ids[] = {"1", "2", "3"};

    (void)state;
    client_open(&client);
    batch = batch_new(&client.outbox);
    for (int i = 0; i < 3; i++)
        replies[i] = in_batch(&client, ids[i], batch);
    batch_drop(batch);
    reply_result(&replies[2], json_object());
    reply_nothing(&replies[1]); /* cancelled */
    reply_notify(&client.outbox, "meanwhile", json_object());
    reply_result(&replies[0], json_object());
    client_check(&client, "{\"jsonrpc\":\"2.0\",\"method\":\"meanwhile\",\"params\":{}}\n"
                          "[" RESULT(3) "," RESULT(1) "]\n");
}

static void batch__one_answer_is_an_array(void **state)
{
    struct client client;
    struct batch *batch;
    struct reply reply;

    (void)state;
    client_open(&client);
    batch = batch_new(&client.outbox);
    reply = in_batch(&client, "1", batch);
    reply_result(&reply, json_object());
    batch_drop(batch);
    client_check(&client, "[" RESULT(1) "]\n");
}

/* Of notifications alone, or with all that it asked for cancelled. */
static void batch__without_answers_sends_nothing(void **state)
{
    struct client client;
    struct batch *batch;
    struct reply reply;

    (void)state;
    client_open(&client);
    batch_drop(batch_new(&client.outbox));
    batch = batch_new(&client.outbox);
    reply = in_batch(&client, "1", batch);
    reply_nothing(&reply);
    batch_drop(batch);
    client_check(&client, "");
}

/* Answers with so many bytes of text each; the JSON around the text has 45. */
static void answer_batch(struct client *client, const size_t *sizes, size_t count)
{
    struct batch *batch = batch_new(&client->outbox);

    for (size_t i = 0; i < count; i++) {
        struct reply reply = in_batch(client, "1", batch);
        char *text = memory_allocate(sizes[i]);

        memset(text, 't', sizes[i]);
        reply_result(&reply, json_pack("{s:o}", "text", json_stringn_nocheck(text, sizes[i])));
        free(text);
    }
    batch_drop(batch);
}

/* Checks how many answers each array has, "2 1", and that no line is too large. */
static void check_split(const size_t *sizes, size_t count, const char *expected)
{
    struct strbuf seen = STRBUF_INIT;
    struct client client;
    json_t *lines, *line;
    size_t i;

    client_open(&client);
    answer_batch(&client, sizes, count);
    lines = client_lines(&client);
    json_array_foreach(lines, i, line)
    {
        if (!json_is_array(line) || jsonrpc_size(line) > MESSAGE_MAX)
            fail_msg("line %zu is no array, or one of %zu bytes", i, jsonrpc_size(line));
        strbuf_addf(&seen, "%s%zu", i > 0 ? " " : "", json_array_size(line));
    }
    assert_string_equal(strbuf_string(&seen), expected);
    strbuf_release(&seen);
    json_decref(lines);
}

static void batch__too_large_ones_are_split(void **state)
{
    static const size_t thirds[] = {400000, 400000, 400000};
    static const size_t full[] = {900000, 900000, 10, 20};
    static const size_t small[] = {10, 20, 30, 40};

    (void)state;
    check_split(thirds, 3, "2 1");
    check_split(full, 4, "1 3");
    check_split(small, 4, "4");
}

/* "[", the answers with a comma between them, and "]" are the message. */
static void batch__split_exactly_at_the_limit(void **state)
{
    static const size_t fits[] = {500000, 499907};
    static const size_t does_not[] = {500000, 499908};

    (void)state;
    check_split(fits, 2, "2");
    check_split(does_not, 2, "1 1");
}

static void *reply_from_thread(void *context)
{
    reply_result(context, json_object());
    return NULL;
}

static void batch__answers_of_many_threads(void **state)
{
    enum { THREADS = 20 };
    struct client client;
    struct batch *batch;
    struct reply replies[THREADS];
    pthread_t threads[THREADS];
    json_t *lines;

    (void)state;
    client_open(&client);
    batch = batch_new(&client.outbox);
    for (int i = 0; i < THREADS; i++) {
        replies[i] = in_batch(&client, "1", batch);
        assert_int_equal(pthread_create(&threads[i], NULL, reply_from_thread, &replies[i]), 0);
    }
    batch_drop(batch);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    lines = client_lines(&client);
    assert_int_equal(json_array_size(lines), 1);
    assert_int_equal(json_array_size(json_array_get(lines, 0)), THREADS);
    json_decref(lines);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reply__results_of_legacy_revisions),
        cmocka_unit_test(reply__no_message_is_too_large),
        cmocka_unit_test(reply__results_of_the_modern_revision),
        cmocka_unit_test(reply__modern_results_keep_their_metadata),
        cmocka_unit_test(reply__errors),
        cmocka_unit_test(reply__errors_are_safe_to_show),
        cmocka_unit_test(reply__errors_without_an_id),
        cmocka_unit_test(reply__nothing),
        cmocka_unit_test(reply__notifications),
        cmocka_unit_test(reply__server_info_by_revision),
        cmocka_unit_test(batch__answers_go_out_as_one_array),
        cmocka_unit_test(batch__waits_for_the_last_answer),
        cmocka_unit_test(batch__one_answer_is_an_array),
        cmocka_unit_test(batch__without_answers_sends_nothing),
        cmocka_unit_test(batch__too_large_ones_are_split),
        cmocka_unit_test(batch__split_exactly_at_the_limit),
        cmocka_unit_test(batch__answers_of_many_threads),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

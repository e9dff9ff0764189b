#include "mcp_client.h"

#include "base/memory.h"
#include "mcp/jsonrpc.h"
#include "mcp/responder.h"

/* A responder to the request with this id (JSON), in this revision and batch, which may be NULL. */
static struct responder responder_to(struct client *client, const char *revision, const char *id,
                                     struct batch *batch)
{
    const struct revision *modern = revision_modern(revision);
    json_t *value = json_of(id);
    struct responder responder;

    responder_init(&responder, &client->writer, modern ? modern : revision_legacy(revision), value,
                   batch);
    json_decref(value);
    return responder;
}

/* ---- one response */

CASE(responder__results_of_legacy_revisions)
{
    struct client client;
    struct responder one, other;

    client_open(&client);
    one = responder_to(&client, "2024-11-05", "1", NULL);
    other = responder_to(&client, "2025-11-25", "\"a\"", NULL);
    responder_result(&one, json_of("{\"x\": 1}"));
    responder_result(&other, json_of("{}"));
    client_check(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":1}}\n"
                          "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{}}\n");
}

#define SERVER_INFO                                                                                \
    "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"isolator\",\"version\":"                   \
    "\"" ISOLATOR_VERSION "\",\"title\":\"isolator: untrusted code in containers\"}"

CASE(responder__no_message_is_too_large)
{
    struct client client;
    struct responder responder;
    char *text = memory_allocate(1000001);

    memset(text, 'x', 1000000);
    text[1000000] = '\0';
    client_open(&client);
    responder = responder_to(&client, "2025-11-25", "1", NULL);
    responder_result(&responder, json_pack("{s:s}", "text", text));
    free(text);
    client_check(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32603,"
                          "\"message\":\"the response is too large\"}}\n");
}

CASE(responder__results_of_the_modern_revision)
{
    struct client client;
    struct responder responder;

    client_open(&client);
    responder = responder_to(&client, "2026-07-28", "1", NULL);
    responder_result(&responder, json_of("{\"x\": 1}"));
    client_check(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"x\":1,"
                          "\"resultType\":\"complete\",\"_meta\":{" SERVER_INFO "}}}\n");
}

CASE(responder__modern_results_keep_their_metadata)
{
    struct client client;
    struct responder responder;

    client_open(&client);
    responder = responder_to(&client, "2026-07-28", "1", NULL);
    responder_result(&responder, json_of("{\"_meta\": {\"mine\": 2}, \"x\": 1}"));
    client_check(&client,
                 "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"_meta\":{\"mine\":2," SERVER_INFO
                 "},\"x\":1,\"resultType\":\"complete\"}}\n");
}

CASE(responder__errors)
{
    struct client client;
    struct responder responder;

    client_open(&client);
    responder = responder_to(&client, "2024-11-05", "1", NULL);
    responder_error(&responder, JSONRPC_INVALID_PARAMS, NULL, "%s is %d", "it", 5);
    responder = responder_to(&client, "2026-07-28", "2", NULL); /* has no members of a result */
    responder_error(&responder, JSONRPC_UNSUPPORTED_VERSION, json_of("{\"y\": []}"), "no");
    client_check(
        &client,
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32602,\"message\":\"it is 5\"}}\n"
        "{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{\"code\":-32022,\"message\":\"no\","
        "\"data\":{\"y\":[]}}}\n");
}

/* A method name comes from the client, and the message may cut it within a character. */
CASE(responder__errors_are_safe_to_show)
{
    struct client client;
    struct responder responder;

    client_open(&client);
    responder = responder_to(&client, "2024-11-05", "1", NULL);
    responder_error(&responder, JSONRPC_METHOD_NOT_FOUND, NULL, "'%.4s'", "a\x1b\n\xc3\xa9");
    client_check(&client, "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32601,"
                          "\"message\":\"'a\\\\x1b\\\\n\\\\xc3'\"}}\n");
}

CASE(responder__errors_without_an_id)
{
    struct client client;
    struct responder responder;

    client_open(&client);
    responder_init(&responder, &client.writer, revision_legacy(""), NULL, NULL);
    responder_error(&responder, JSONRPC_PARSE_ERROR, NULL, "no JSON");
    client_check(&client,
                 "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"no JSON\"}}\n");
}

CASE(responder__nothing)
{
    struct client client;
    struct responder responder;

    client_open(&client);
    responder = responder_to(&client, "2024-11-05", "\"owned\"", NULL);
    responder_nothing(&responder);
    responder_nothing(&responder); /* it was used */
    client_check(&client, "");
}

CASE(responder__notifications)
{
    struct client client;

    client_open(&client);
    responder_notify(&client.writer, "notifications/progress", json_of("{\"progress\": 0.25}"));
    client_check(&client, "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\","
                          "\"params\":{\"progress\":0.25}}\n");
}

static void check_info(const char *revision, const char *expected)
{
    const struct revision *modern = revision_modern(revision);

    check_new_json(responder_server_info(modern ? modern : revision_legacy(revision)), expected);
}

CASE(responder__server_info_by_revision)
{
    static const char old[] = "{\"name\":\"isolator\",\"version\":\"" ISOLATOR_VERSION "\"}";
    static const char titled[] = "{\"name\":\"isolator\",\"version\":\"" ISOLATOR_VERSION
                                 "\",\"title\":\"isolator: untrusted code in containers\"}";

    check_info("2024-11-05", old);
    check_info("2025-03-26", old);
    check_info("2025-06-18", titled);
    check_info("2026-07-28", titled);
}

/* ---- batches */

static struct responder in_batch(struct client *client, const char *id, struct batch *batch)
{
    return responder_to(client, "2025-03-26", id, batch);
}

#define RESULT(id) "{\"jsonrpc\":\"2.0\",\"id\":" #id ",\"result\":{}}"

CASE(batch__responses_are_sent_as_one_array)
{
    struct client client;
    struct batch *batch;
    struct responder one, other;

    client_open(&client);
    batch = batch_new(&client.writer);
    one = in_batch(&client, "1", batch);
    responder_result(&one, json_object());
    other = in_batch(&client, "2", batch);
    responder_error(&other, JSONRPC_INVALID_PARAMS, NULL, "bad");
    batch_drop(batch);
    client_check(&client, "[" RESULT(1) ",{\"jsonrpc\":\"2.0\",\"id\":2,\"error\":{"
                                        "\"code\":-32602,\"message\":\"bad\"}}]\n");
}

/* The result of a call comes long after the other responses of the batch. */
CASE(batch__waits_for_the_last_response)
{
    struct client client;
    struct batch *batch;
    struct responder replies[3];
    const char *const ids[] = {"1", "2", "3"};

    client_open(&client);
    batch = batch_new(&client.writer);
    for (int i = 0; i < 3; i++)
        replies[i] = in_batch(&client, ids[i], batch);
    batch_drop(batch);
    responder_result(&replies[2], json_object());
    responder_nothing(&replies[1]); /* cancelled */
    responder_notify(&client.writer, "meanwhile", json_object());
    responder_result(&replies[0], json_object());
    client_check(&client, "{\"jsonrpc\":\"2.0\",\"method\":\"meanwhile\",\"params\":{}}\n"
                          "[" RESULT(3) "," RESULT(1) "]\n");
}

CASE(batch__one_response_is_an_array)
{
    struct client client;
    struct batch *batch;
    struct responder responder;

    client_open(&client);
    batch = batch_new(&client.writer);
    responder = in_batch(&client, "1", batch);
    responder_result(&responder, json_object());
    batch_drop(batch);
    client_check(&client, "[" RESULT(1) "]\n");
}

/* A batch of notifications, or one whose requests are all cancelled. */
CASE(batch__without_responses_sends_nothing)
{
    struct client client;
    struct batch *batch;
    struct responder responder;

    client_open(&client);
    batch_drop(batch_new(&client.writer));
    batch = batch_new(&client.writer);
    responder = in_batch(&client, "1", batch);
    responder_nothing(&responder);
    batch_drop(batch);
    client_check(&client, "");
}

/* Sends responses with texts of these sizes; the JSON around each text has 45 bytes. */
static void answer_batch(struct client *client, const size_t *sizes, size_t count)
{
    struct batch *batch = batch_new(&client->writer);

    for (size_t i = 0; i < count; i++) {
        struct responder responder = in_batch(client, "1", batch);
        char *text = memory_allocate(sizes[i]);

        memset(text, 't', sizes[i]);
        responder_result(&responder,
                         json_pack("{s:o}", "text", json_stringn_nocheck(text, sizes[i])));
        free(text);
    }
    batch_drop(batch);
}

/* Checks how many responses each array has, "2 1", and that no line is too large. */
static void check_split(const size_t *sizes, size_t count, const char *expected)
{
    struct strbuf seen = STRBUF_INIT;
    struct client client;
    json_t *lines, *line;
    size_t i;

    client_open(&client);
    answer_batch(&client, sizes, count);
    lines = client_lines(&client);
    json_array_foreach(lines, i, line) {
        if (!json_is_array(line) || jsonrpc_size(line) > MESSAGE_MAX)
            fail_msg("line %zu is no array, or one of %zu bytes", i, jsonrpc_size(line));
        strbuf_addf(&seen, "%s%zu", i > 0 ? " " : "", json_array_size(line));
    }
    assert_string_equal(strbuf_string(&seen), expected);
    strbuf_release(&seen);
    json_decref(lines);
}

CASE(batch__too_large_ones_are_split)
{
    static const size_t thirds[] = {400000, 400000, 400000};
    static const size_t full[] = {900000, 900000, 10, 20};
    static const size_t small[] = {10, 20, 30, 40};

    check_split(thirds, 3, "2 1");
    check_split(full, 4, "1 3");
    check_split(small, 4, "4");
}

/* The message is "[", the responses with commas between them, and "]". */
CASE(batch__split_exactly_at_the_limit)
{
    static const size_t fits[] = {500000, 499907};
    static const size_t does_not[] = {500000, 499908};

    check_split(fits, 2, "2");
    check_split(does_not, 2, "1 1");
}

static void *responder_from_thread(void *context)
{
    responder_result(context, json_object());
    return NULL;
}

CASE(batch__responses_of_many_threads)
{
    enum { THREADS = 20 };
    struct client client;
    struct batch *batch;
    struct responder replies[THREADS];
    pthread_t threads[THREADS];
    json_t *lines;

    client_open(&client);
    batch = batch_new(&client.writer);
    for (int i = 0; i < THREADS; i++) {
        replies[i] = in_batch(&client, "1", batch);
        assert_int_equal(pthread_create(&threads[i], NULL, responder_from_thread, &replies[i]), 0);
    }
    batch_drop(batch);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    lines = client_lines(&client);
    assert_int_equal(json_array_size(lines), 1);
    assert_int_equal(json_array_size(json_array_get(lines, 0)), THREADS);
    json_decref(lines);
}

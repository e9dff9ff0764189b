#include "mcp_client.h"

#include "mcp/subscriptions.h"

/* Opens a subscription by a request with this id, a JSON text. */
static void open_one(struct subscriptions *subscriptions, struct client *client, const char *id)
{
    json_t *value = json_of(id);
    struct responder responder;

    responder_init(&responder, &client->writer, revision_modern("2026-07-28"), value, NULL);
    json_decref(value);
    subscriptions_open(subscriptions, &responder);
    assert_null(responder.id); /* it was used */
}

static void close_one(struct subscriptions *subscriptions, const char *id)
{
    json_t *value = json_of(id);

    subscriptions_close(subscriptions, value);
    json_decref(value);
}

#define ACKNOWLEDGED(id)                                                                           \
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/subscriptions/acknowledged\",\"params\":{"    \
    "\"_meta\":{\"io.modelcontextprotocol/subscriptionId\":" id "},\"notifications\":{}}}\n"
#define ENDED(id)                                                                                  \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"result\":{\"_meta\":{"                                   \
    "\"io.modelcontextprotocol/subscriptionId\":" id ","                                           \
    "\"io.modelcontextprotocol/serverInfo\":{\"name\":\"isolator\",\"version\":"                   \
    "\"" ISOLATOR_VERSION "\",\"title\":\"isolator: untrusted code in containers\"}},"             \
    "\"resultType\":\"complete\"}}\n"

CASE(subscriptions__are_acknowledged_and_completed_at_the_end)
{
    struct subscriptions subscriptions;
    struct client client;

    client_open(&client);
    subscriptions_init(&subscriptions);
    open_one(&subscriptions, &client, "1");
    open_one(&subscriptions, &client, "\"a\"");
    subscriptions_end(&subscriptions, &client.writer);
    subscriptions_end(&subscriptions, &client.writer); /* no subscription remains */
    subscriptions_release(&subscriptions);
    client_check(&client, ACKNOWLEDGED("1") ACKNOWLEDGED("\"a\"") ENDED("1") ENDED("\"a\""));
}

CASE(subscriptions__without_any)
{
    struct subscriptions subscriptions;
    struct client client;

    client_open(&client);
    subscriptions_init(&subscriptions);
    close_one(&subscriptions, "1");
    subscriptions_end(&subscriptions, &client.writer);
    subscriptions_release(&subscriptions);
    client_check(&client, "");
}

/* A cancelled request gets no response; the ids 1 and "1" differ. */
CASE(subscriptions__are_cancelled_without_a_response)
{
    struct subscriptions subscriptions;
    struct client client;

    client_open(&client);
    subscriptions_init(&subscriptions);
    open_one(&subscriptions, &client, "1");
    open_one(&subscriptions, &client, "2");
    open_one(&subscriptions, &client, "3");
    close_one(&subscriptions, "2");
    close_one(&subscriptions, "2");
    close_one(&subscriptions, "\"1\"");
    close_one(&subscriptions, "4");
    subscriptions_end(&subscriptions, &client.writer);
    subscriptions_release(&subscriptions);
    client_check(&client,
                 ACKNOWLEDGED("1") ACKNOWLEDGED("2") ACKNOWLEDGED("3") ENDED("1") ENDED("3"));
}

CASE(subscriptions__open_ones_are_released)
{
    struct subscriptions subscriptions;
    struct client client;

    client_open(&client);
    subscriptions_init(&subscriptions);
    open_one(&subscriptions, &client, "1");
    subscriptions_release(&subscriptions);
    client_check(&client, ACKNOWLEDGED("1"));
}

CASE(subscriptions__number_is_limited)
{
    struct subscriptions subscriptions;
    struct client client;
    json_t *lines;

    client_open(&client);
    subscriptions_init(&subscriptions);
    for (int i = 0; i < 64; i++)
        open_one(&subscriptions, &client, "0");
    open_one(&subscriptions, &client, "64");
    close_one(&subscriptions, "0"); /* makes room */
    open_one(&subscriptions, &client, "65");
    subscriptions_release(&subscriptions);
    lines = client_lines(&client);
    assert_int_equal(json_array_size(lines), 66);
    check_json(json_array_get(lines, 64),
               "{\"jsonrpc\":\"2.0\",\"id\":64,\"error\":{\"code\":-32603,"
               "\"message\":\"there are 64 open subscriptions already\"}}");
    assert_string_equal(string_at(json_array_get(lines, 65), "method"),
                        "notifications/subscriptions/acknowledged");
    json_decref(lines);
}

#include "mcp/dispatch.h"

#include <string.h>

#include "base/json_text.h"
#include "base/linux.h"
#include "base/text.h"
#include "mcp/jsonrpc.h"
#include "mcp/methods.h"

/* Messages of a batch. The specification has no limit; clients send a few. */
enum { BATCH_MAX = 100 };

static const char META_VERSION[] = "io.modelcontextprotocol/protocolVersion";
static const char META_CAPABILITIES[] = "io.modelcontextprotocol/clientCapabilities";
static const char META_CLIENT[] = "io.modelcontextprotocol/clientInfo";
static const char META_DETAILS[] = "isolator/details"; /* of a call; our own */

/*
 * Whether the request is of a modern revision: it has the metadata that these require, or its
 * method exists only there.
 */
static bool is_modern(const struct method *method, const json_t *meta)
{
    return (method && method->eras == ERA_MODERN) || json_object_get(meta, META_VERSION) ||
           json_object_get(meta, META_CAPABILITIES) || json_object_get(meta, META_CLIENT);
}

/* The modern revision that the metadata names; NULL, with the error sent, if there is none. */
static const struct revision *read_meta(struct responder *responder, const json_t *meta)
{
    json_t *version = json_object_get(meta, META_VERSION);
    const char *name = json_string_value(version);
    const bool whole = name && strlen(name) == json_string_length(version);
    const struct revision *revision = whole ? revision_modern(name) : NULL;

    if (!whole || json_string_length(version) > 100)
        responder_error(responder, JSONRPC_INVALID_PARAMS, NULL, "_meta.%s must be a string",
                        META_VERSION);
    else if (!revision)
        responder_error(
            responder, JSONRPC_UNSUPPORTED_VERSION,
            json_pack("{s:o, s:O}", "supported", method_modern_versions(), "requested", version),
            "protocol version not supported");
    else if (!json_is_object(json_object_get(meta, META_CAPABILITIES)))
        responder_error(responder, JSONRPC_INVALID_PARAMS, NULL, "_meta.%s must be an object",
                        META_CAPABILITIES);
    else
        return revision;
    return NULL;
}

/* Handles a request and uses its responder. */
static void dispatch_request(struct request_context *context, const char *name)
{
    const json_t *meta = json_object_get(context->params, "_meta");
    const struct method *method = method_find(name);
    const bool modern = is_modern(method, meta);
    struct responder *responder = context->responder;
    json_t *result;

    responder->details = json_is_true(json_object_get(meta, META_DETAILS));
    if (modern) {
        const struct revision *revision = read_meta(responder, meta);

        if (!revision)
            return;
        responder->revision = revision;
        responder->client = known_client_find(json_object_get(meta, META_CLIENT));
        context->capabilities = json_object_get(meta, META_CAPABILITIES);
    }
    if (!method || !(method->eras & (modern ? ERA_MODERN : ERA_LEGACY))) {
        responder_error(responder, JSONRPC_METHOD_NOT_FOUND, NULL, "there is no method '%.200s'",
                        name);
        return;
    }
    result = method->handle(context);
    if (!result)
        return;
    if (modern && method->ttl_ms != METHOD_NO_TTL) {
        json_object_set_new(result, "ttlMs", json_integer(method->ttl_ms));
        json_object_set_new(result, "cacheScope", json_string("private"));
    }
    responder_result(responder, result);
}

static void dispatch_notification(struct connection *connection, const struct message *message)
{
    const json_t *id = json_object_get(message->params, "requestId");

    if (strcmp(message->method, "notifications/cancelled") != 0 || !jsonrpc_is_id(id))
        return;
    calls_cancel(&connection->calls, id);
    job_calls_cancel(&connection->jobs, id);
    tool_searches_cancel(&connection->searches, id);
    subscriptions_close(&connection->subscriptions, id);
}

static void dispatch_message(struct connection *connection, json_t *value, struct batch *batch)
{
    struct message message;
    struct responder responder;
    struct request_context context = {.connection = connection, .responder = &responder};

    jsonrpc_read(&message, value);
    if (message.kind == MESSAGE_NOTIFICATION)
        dispatch_notification(connection, &message);
    else if (message.kind == MESSAGE_RESPONSE)
        questions_take(&connection->questions, value);
    if (message.kind == MESSAGE_NOTIFICATION || message.kind == MESSAGE_RESPONSE)
        return;
    responder_init(&responder, &connection->writer, connection->legacy, message.id, batch);
    responder.client = connection->client;
    context.params = json_is_object(message.params) ? message.params : NULL;
    if (message.kind == MESSAGE_INVALID)
        responder_error(&responder, JSONRPC_INVALID_REQUEST, NULL, "%s", message.problem);
    else if (message.params && !context.params && !json_is_null(message.params))
        responder_error(&responder, JSONRPC_INVALID_PARAMS, NULL, "params must be an object");
    else if (batch && strcmp(message.method, "initialize") == 0)
        responder_error(&responder, JSONRPC_INVALID_REQUEST, NULL,
                        "initialize cannot be in a batch");
    else
        dispatch_request(&context, message.method);
}

/* Sends an error without an id, for input that is not a request. */
static void send_error(struct connection *connection, int code, const char *text)
{
    struct responder responder;

    responder_init(&responder, &connection->writer, connection->legacy, NULL, NULL);
    responder_error(&responder, code, NULL, "%s", text);
}

/* Begins a batch. Takes ownership of its messages. */
static void begin_batch(struct connection *connection, json_t *messages, size_t size)
{
    const size_t count = json_array_size(messages);

    if (connection->legacy->batches && count > 0 && count <= BATCH_MAX) {
        connection->pending =
            (struct pending_batch){messages, 0, size, batch_new(&connection->writer)};
        return;
    }
    if (!connection->legacy->batches)
        send_error(connection, JSONRPC_INVALID_REQUEST, "this revision has no batches");
    else
        send_error(connection, JSONRPC_INVALID_REQUEST, "a batch must have from 1 to 100 messages");
    json_decref(messages);
}

bool dispatch_pending(struct connection *connection)
{
    struct pending_batch *pending = &connection->pending;
    json_t *value = json_array_get(pending->messages, pending->next);

    if (!value)
        return false;
    dispatch_message(connection, value, pending->responses);
    if (++pending->next == json_array_size(pending->messages))
        dispatch_end_batch(connection);
    return true;
}

void dispatch_end_batch(struct connection *connection)
{
    const struct pending_batch pending = connection->pending;

    if (!pending.messages)
        return;
    connection->pending = (struct pending_batch){.messages = NULL};
    batch_drop(pending.responses);
    json_decref(pending.messages);
    linux_trim_memory(pending.size);
}

void dispatch_line(struct connection *connection, const char *line, size_t length)
{
    json_t *value;

    if (text_is_blank(line, length))
        return;
    if (json_text_count(line, length) > JSON_TEXT_VALUES_MAX) {
        send_error(connection, JSONRPC_INVALID_REQUEST,
                   "a message cannot have more than 200000 values");
        return;
    }
    value = json_text_parse(line, length, NULL);
    if (json_is_array(value)) {
        begin_batch(connection, value, length);
        return;
    }
    if (value)
        dispatch_message(connection, value, NULL);
    else
        send_error(connection, JSONRPC_PARSE_ERROR, "the line is not JSON in UTF-8");
    json_decref(value);
    linux_trim_memory(length);
}

void dispatch_too_long(struct connection *connection)
{
    send_error(connection, JSONRPC_INVALID_REQUEST, "a message cannot be longer than 64 MiB");
}

#include "mcp/subscriptions.h"

#include "mcp/jsonrpc.h"

/* Bounds the memory; clients need one or two. */
enum { SUBSCRIPTIONS_MAX = 64 };

static const char META_SUBSCRIPTION[] = "io.modelcontextprotocol/subscriptionId";

void subscriptions_init(struct subscriptions *subscriptions)
{
    subscriptions->ids = json_array();
}

void subscriptions_open(struct subscriptions *subscriptions, struct responder *responder)
{
    if (json_array_size(subscriptions->ids) == SUBSCRIPTIONS_MAX) {
        responder_error(responder, JSONRPC_INTERNAL_ERROR, NULL,
                        "there are %d open subscriptions already", SUBSCRIPTIONS_MAX);
        return;
    }
    json_array_append(subscriptions->ids, responder->id);
    responder_notify(
        responder->writer, "notifications/subscriptions/acknowledged",
        json_pack("{s:{s:O}, s:{}}", "_meta", META_SUBSCRIPTION, responder->id, "notifications"));
    responder_nothing(responder); /* the result follows when the server ends */
}

void subscriptions_close(struct subscriptions *subscriptions, const json_t *id)
{
    size_t i;
    json_t *open;

    json_array_foreach(subscriptions->ids, i, open) {
        if (json_equal(open, id)) {
            json_array_remove(subscriptions->ids, i);
            return;
        }
    }
}

void subscriptions_end(struct subscriptions *subscriptions, struct writer *writer)
{
    size_t i;
    json_t *id;

    json_array_foreach(subscriptions->ids, i, id) {
        struct responder responder;

        responder_init(&responder, writer, revision_modern(revision_modern_name(0)), id, NULL);
        responder_result(&responder, json_pack("{s:{s:O}}", "_meta", META_SUBSCRIPTION, id));
    }
    json_array_clear(subscriptions->ids);
}

void subscriptions_release(struct subscriptions *subscriptions)
{
    json_decref(subscriptions->ids);
}

#include "mcp/subscriptions.h"

#include "mcp/jsonrpc.h"

/* More than anybody needs, so that none can flood us. */
enum { SUBSCRIPTIONS_MAX = 64 };

static const char META_SUBSCRIPTION[] = "io.modelcontextprotocol/subscriptionId";

void subscriptions_init(struct subscriptions *subscriptions)
{
    subscriptions->ids = json_array();
}

void subscriptions_open(struct subscriptions *subscriptions, struct reply *reply)
{
    if (json_array_size(subscriptions->ids) == SUBSCRIPTIONS_MAX) {
        reply_error(reply, JSONRPC_INTERNAL_ERROR, NULL, "there are %d open subscriptions already",
                    SUBSCRIPTIONS_MAX);
        return;
    }
    json_array_append(subscriptions->ids, reply->id);
    reply_notify(
        reply->outbox, "notifications/subscriptions/acknowledged",
        json_pack("{s:{s:O}, s:{}}", "_meta", META_SUBSCRIPTION, reply->id, "notifications"));
    reply_nothing(reply); /* it comes when the server ends */
}

void subscriptions_close(struct subscriptions *subscriptions, const json_t *id)
{
    size_t i;
    json_t *open;

    json_array_foreach(subscriptions->ids, i, open)
    {
        if (json_equal(open, id)) {
            json_array_remove(subscriptions->ids, i);
            return;
        }
    }
}

void subscriptions_end(struct subscriptions *subscriptions, struct outbox *outbox)
{
    size_t i;
    json_t *id;

    json_array_foreach(subscriptions->ids, i, id)
    {
        struct reply reply;

        reply_init(&reply, outbox, revision_modern(revision_modern_name(0)), id, NULL);
        reply_result(&reply, json_pack("{s:{s:O}}", "_meta", META_SUBSCRIPTION, id));
    }
    json_array_clear(subscriptions->ids);
}

void subscriptions_release(struct subscriptions *subscriptions)
{
    json_decref(subscriptions->ids);
}

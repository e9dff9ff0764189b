#include "mcp/progress.h"

#include "base/clock.h"
#include "mcp/jsonrpc.h"

void progress_init(struct progress *progress, const json_t *params)
{
    json_t *token = json_object_get(json_object_get(params, "_meta"), "progressToken");

    *progress = (struct progress){.token = jsonrpc_is_id(token) ? json_copy(token) : NULL,
                                  .begin = clock_now_ms()};
    progress->last_sent = progress->begin;
}

void progress_send(struct progress *progress, const struct responder *responder,
                   const char *message)
{
    const long long now = clock_now_ms();
    const long long elapsed = now - progress->begin;
    json_t *params = json_object();

    progress->value = elapsed > progress->value ? elapsed : progress->value + 1;
    progress->last_sent = now;
    json_object_set(params, "progressToken", progress->token);
    json_object_set_new(params, "progress", json_real((double)progress->value / 1000));
    if (responder->revision->annotations)
        json_object_set_new(params, "message", json_string(message));
    responder_notify(responder->writer, "notifications/progress", params);
}

void progress_release(struct progress *progress)
{
    json_decref(progress->token);
    progress->token = NULL;
}

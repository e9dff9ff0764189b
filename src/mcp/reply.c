#include "mcp/reply.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "mcp/jsonrpc.h"

struct batch {
    pthread_mutex_t lock;
    struct outbox *outbox;
    int count;             /* replies that are open, and the caller's own count */
    struct strbuf answers; /* "[{...},{...}" so far */
};

struct batch *batch_new(struct outbox *outbox)
{
    struct batch *batch = memory_allocate(sizeof *batch);

    *batch = (struct batch){.outbox = outbox, .count = 1};
    pthread_mutex_init(&batch->lock, NULL);
    return batch;
}

/* Sends the answers that there are as one array. */
static void batch_send(struct batch *batch)
{
    size_t length;

    if (batch->answers.length == 0)
        return;
    strbuf_addstr(&batch->answers, "]\n");
    length = batch->answers.length;
    outbox_put(batch->outbox, strbuf_steal(&batch->answers), length);
}

/* Adds an answer, a line. An array that would get too large is sent before it. */
static void batch_add(struct batch *batch, const char *line, size_t length)
{
    pthread_mutex_lock(&batch->lock);
    if (batch->answers.length + length >= MESSAGE_MAX)
        batch_send(batch);
    strbuf_addch(&batch->answers, batch->answers.length == 0 ? '[' : ',');
    strbuf_add(&batch->answers, line, length - 1);
    pthread_mutex_unlock(&batch->lock);
}

void batch_drop(struct batch *batch)
{
    int count;

    pthread_mutex_lock(&batch->lock);
    count = --batch->count;
    if (count == 0)
        batch_send(batch);
    pthread_mutex_unlock(&batch->lock);
    if (count > 0)
        return;
    pthread_mutex_destroy(&batch->lock);
    strbuf_release(&batch->answers);
    free(batch);
}

void reply_init(struct reply *reply, struct outbox *outbox, const struct revision *revision,
                json_t *id, struct batch *batch)
{
    *reply = (struct reply){outbox, revision, json_copy(id), batch};
    if (!batch)
        return;
    pthread_mutex_lock(&batch->lock);
    batch->count++;
    pthread_mutex_unlock(&batch->lock);
}

void reply_nothing(struct reply *reply)
{
    json_decref(reply->id);
    reply->id = NULL;
    if (reply->batch)
        batch_drop(reply->batch);
    reply->batch = NULL;
}

/* Takes the message over. */
static void send_message(struct reply *reply, json_t *message)
{
    size_t length;
    char *line = jsonrpc_line(message, &length);

    json_decref(message);
    if (length > MESSAGE_MAX) { /* only what the configuration makes large can get here */
        free(line);
        message = jsonrpc_error(reply->id, JSONRPC_INTERNAL_ERROR, "the answer is too large", NULL);
        line = jsonrpc_line(message, &length);
        json_decref(message);
    }
    if (reply->batch) {
        batch_add(reply->batch, line, length);
        free(line);
    } else {
        outbox_put(reply->outbox, line, length);
    }
    reply_nothing(reply);
}

json_t *reply_server_info(const struct revision *revision)
{
    json_t *info = json_object();

    json_object_set_new(info, "name", json_string("isolator"));
    json_object_set_new(info, "version", json_string(ISOLATOR_VERSION));
    if (revision->structured)
        json_object_set_new(info, "title", json_string("isolator: untrusted code in containers"));
    return info;
}

/* 2026-07-28, basic/index: resultType in each result; serverInfo in its _meta. */
static void make_modern(const struct revision *revision, json_t *result)
{
    json_t *meta = json_object_get(result, "_meta");

    json_object_set_new(result, "resultType", json_string("complete"));
    if (!meta) {
        meta = json_object();
        json_object_set_new(result, "_meta", meta);
    }
    json_object_set_new(meta, "io.modelcontextprotocol/serverInfo", reply_server_info(revision));
}

void reply_result(struct reply *reply, json_t *result)
{
    if (reply->revision->modern)
        make_modern(reply->revision, result);
    send_message(reply, jsonrpc_result(reply->id, result));
}

void reply_error(struct reply *reply, int code, json_t *data, const char *format, ...)
{
    struct strbuf text = STRBUF_INIT;
    CLEANUP_FREE char *shown = NULL;
    va_list arguments;

    va_start(arguments, format);
    strbuf_vaddf(&text, format, arguments);
    va_end(arguments);
    shown = text_escape(strbuf_string(&text));
    strbuf_release(&text);
    send_message(reply, jsonrpc_error(reply->id, code, shown, data));
}

void reply_notify(struct outbox *outbox, const char *method, json_t *params)
{
    json_t *notification = jsonrpc_notification(method, params);
    size_t length;
    char *line = jsonrpc_line(notification, &length);

    json_decref(notification);
    outbox_put(outbox, line, length);
}

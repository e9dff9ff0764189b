#include "mcp/responder.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/thread.h"
#include "mcp/jsonrpc.h"

struct batch {
    pthread_mutex_t lock;
    struct writer *writer;
    int references;          /* of the responders, and one of the caller */
    struct strbuf responses; /* "[{...},{...}" so far */
};

struct batch *batch_new(struct writer *writer)
{
    struct batch *batch = memory_allocate(sizeof *batch);

    *batch = (struct batch){.writer = writer, .references = 1};
    pthread_mutex_init(&batch->lock, NULL);
    return batch;
}

/* Sends the responses so far as one array. */
static void batch_send(struct batch *batch)
{
    size_t length;

    if (batch->responses.length == 0)
        return;
    strbuf_addstr(&batch->responses, "]\n");
    length = batch->responses.length;
    writer_put(batch->writer, strbuf_steal(&batch->responses), length);
}

/* Adds a response, a line. If the array would become too large, sends the responses so far first.
 */
static void batch_add(struct batch *batch, const char *line, size_t length)
{
    THREAD_LOCK(&batch->lock);
    if (batch->responses.length + length >= MESSAGE_MAX)
        batch_send(batch);
    strbuf_addch(&batch->responses, batch->responses.length == 0 ? '[' : ',');
    strbuf_add(&batch->responses, line, length - 1);
}

void batch_drop(struct batch *batch)
{
    int references;

    pthread_mutex_lock(&batch->lock);
    references = --batch->references;
    if (references == 0)
        batch_send(batch);
    pthread_mutex_unlock(&batch->lock);
    if (references > 0)
        return;
    pthread_mutex_destroy(&batch->lock);
    strbuf_release(&batch->responses);
    free(batch);
}

void responder_init(struct responder *responder, struct writer *writer,
                    const struct revision *revision, json_t *id, struct batch *batch)
{
    *responder = (struct responder){
        .writer = writer, .revision = revision, .id = json_copy(id), .batch = batch};
    if (!batch)
        return;
    THREAD_LOCK(&batch->lock);
    batch->references++;
}

void responder_nothing(struct responder *responder)
{
    json_decref(responder->id);
    responder->id = NULL;
    if (responder->batch)
        batch_drop(responder->batch);
    responder->batch = NULL;
}

/* Takes ownership of the message. */
static void send_message(struct responder *responder, json_t *message)
{
    size_t length;
    char *line = jsonrpc_line(message, &length);

    json_decref(message);
    if (length > MESSAGE_MAX) { /* only a large configuration can cause this */
        free(line);
        message =
            jsonrpc_error(responder->id, JSONRPC_INTERNAL_ERROR, "the response is too large", NULL);
        line = jsonrpc_line(message, &length);
        json_decref(message);
    }
    if (responder->batch) {
        batch_add(responder->batch, line, length);
        free(line);
    } else {
        writer_put(responder->writer, line, length);
    }
    responder_nothing(responder);
}

struct revision responder_reads(const struct responder *responder)
{
    struct revision revision = known_client_reads(responder->client, responder->revision);

    revision.details = responder->details;
    return revision;
}

json_t *responder_server_info(const struct revision *revision)
{
    json_t *info = json_object();

    json_object_set_new(info, "name", json_string("isolator"));
    json_object_set_new(info, "version", json_string(ISOLATOR_VERSION));
    if (revision->titles)
        json_object_set_new(info, "title", json_string("isolator: untrusted code in containers"));
    return info;
}

/* 2026-07-28, basic/index: resultType in each result; serverInfo in its _meta. */
static void make_modern(const struct revision *revision, json_t *result)
{
    json_t *meta = json_object_get(result, "_meta");

    if (!json_object_get(result, "resultType"))
        json_object_set_new(result, "resultType", json_string("complete"));
    if (!meta) {
        meta = json_object();
        json_object_set_new(result, "_meta", meta);
    }
    json_object_set_new(meta, "io.modelcontextprotocol/serverInfo",
                        responder_server_info(revision));
}

void responder_result(struct responder *responder, json_t *result)
{
    if (responder->revision->modern)
        make_modern(responder->revision, result);
    send_message(responder, jsonrpc_result(responder->id, result));
}

void responder_error(struct responder *responder, int code, json_t *data, const char *format, ...)
{
    struct strbuf text = STRBUF_INIT;
    CLEANUP_FREE char *escaped = NULL;
    va_list arguments;

    va_start(arguments, format);
    strbuf_vaddf(&text, format, arguments);
    va_end(arguments);
    escaped = text_escape(strbuf_string(&text));
    strbuf_release(&text);
    send_message(responder, jsonrpc_error(responder->id, code, escaped, data));
}

const char *responder_need_string(struct responder *responder, const json_t *object,
                                  const char *name)
{
    const json_t *value = json_object_get(object, name);
    const char *text = json_string_value(value);

    if (text && strlen(text) == json_string_length(value))
        return text;
    responder_error(responder, JSONRPC_INVALID_PARAMS, NULL, "%s must be a string", name);
    return NULL;
}

void responder_notify(struct writer *writer, const char *method, json_t *params)
{
    json_t *notification = jsonrpc_notification(method, params);
    size_t length;
    char *line = jsonrpc_line(notification, &length);

    json_decref(notification);
    writer_put(writer, line, length);
}

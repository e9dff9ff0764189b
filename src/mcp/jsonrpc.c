#include "mcp/jsonrpc.h"

#include <stdbool.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_text.h"
#include "base/strbuf.h"
#include "base/text.h"

/* Each response repeats the id, so that a long one would make large responses. */
enum { ID_MAX = 4096 };

bool jsonrpc_is_id(const json_t *value)
{
    return json_is_integer(value) || (json_is_string(value) && json_string_length(value) <= ID_MAX);
}

void jsonrpc_read(struct message *message, json_t *value)
{
    json_t *id = json_object_get(value, "id");
    json_t *method = json_object_get(value, "method");
    const json_t *version = json_object_get(value, "jsonrpc");

    *message = (struct message){
        .kind = MESSAGE_INVALID,
        .id = jsonrpc_is_id(id) ? id : NULL,
        .method = json_string_value(method),
        .params = json_object_get(value, "params"),
    };
    if (!json_is_object(value))
        message->problem = "a message must be an object";
    else if (json_string_length(version) != 3 || strcmp(json_string_value(version), "2.0") != 0)
        message->problem = "\"jsonrpc\" must be \"2.0\"";
    else if (!method && (json_object_get(value, "result") || json_object_get(value, "error")))
        message->kind = MESSAGE_RESPONSE;
    else if (!message->method || strlen(message->method) != json_string_length(method))
        message->problem = "\"method\" must be a string";
    else if (!id)
        message->kind = MESSAGE_NOTIFICATION;
    else if (!message->id)
        message->problem = "\"id\" must be an integer or a string of at most 4096 bytes";
    else
        message->kind = MESSAGE_REQUEST;
}

static json_t *new_message(void)
{
    json_t *message = json_object();

    json_object_set_new(message, "jsonrpc", json_string("2.0"));
    return message;
}

json_t *jsonrpc_result(json_t *id, json_t *result)
{
    json_t *message = new_message();

    json_object_set(message, "id", id);
    json_object_set_new(message, "result", result);
    return message;
}

json_t *jsonrpc_error(json_t *id, int code, const char *text, json_t *data)
{
    json_t *message = new_message();
    json_t *error = json_object();

    if (id)
        json_object_set(message, "id", id);
    json_object_set_new(error, "code", json_integer(code));
    json_object_set_new(error, "message", json_string(text));
    if (data)
        json_object_set_new(error, "data", data);
    json_object_set_new(message, "error", error);
    return message;
}

json_t *jsonrpc_notification(const char *method, json_t *params)
{
    json_t *message = new_message();

    json_object_set_new(message, "method", json_string(method));
    json_object_set_new(message, "params", params);
    return message;
}

json_t *jsonrpc_request(const char *id, const char *method, json_t *params)
{
    json_t *message = jsonrpc_notification(method, params);

    json_object_set_new(message, "id", json_string(id));
    return message;
}

static int add_piece(const char *piece, size_t length, void *buffer)
{
    strbuf_add(buffer, piece, length);
    return 0;
}

char *jsonrpc_line(const json_t *message, size_t *length)
{
    struct strbuf line = STRBUF_INIT;

    json_dump_callback(message, add_piece, &line, json_text_flags(message));
    strbuf_addch(&line, '\n');
    *length = line.length;
    return strbuf_steal(&line);
}

static int count_piece(const char *piece, size_t length, void *size)
{
    (void)piece;
    *(size_t *)size += length;
    return 0;
}

size_t jsonrpc_size(const json_t *value)
{
    size_t size = 0;

    json_dump_callback(value, count_piece, &size, json_text_flags(value) | JSON_ENCODE_ANY);
    return size;
}

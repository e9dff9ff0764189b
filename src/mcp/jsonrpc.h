/*
 * JSON-RPC 2.0 as MCP uses it (basic/index, "Messages"): parses and builds messages. Knows no
 * methods.
 */
#ifndef MCP_JSONRPC_H
#define MCP_JSONRPC_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/jsonrpc_codes.h"

/* In addition to base/jsonrpc_codes.h: up to 2025-11-25; later JSONRPC_INVALID_PARAMS. */
enum { JSONRPC_RESOURCE_NOT_FOUND = -32002 };

enum message_kind { MESSAGE_REQUEST, MESSAGE_NOTIFICATION, MESSAGE_RESPONSE, MESSAGE_INVALID };

struct message {
    enum message_kind kind;
    json_t *id;          /* borrowed; NULL if it is missing or invalid */
    const char *method;  /* borrowed; of a request or notification */
    json_t *params;      /* borrowed; of any type; NULL if there are none */
    const char *problem; /* of an invalid message: what is wrong with it */
};

/* Parses a value as a message; everything in the message is borrowed from the value. */
void jsonrpc_read(struct message *message, json_t *value);

/* Whether this may be an id or a progress token: an integer, or a string of at most 4096 bytes. */
bool jsonrpc_is_id(const json_t *value);

/* Build messages: new references. They take ownership of `result`, `data` and `params`. */
json_t *jsonrpc_result(json_t *id, json_t *result);
json_t *jsonrpc_error(json_t *id, int code, const char *message,
                      json_t *data); /* `id` and `data` may be NULL */
json_t *jsonrpc_request(const char *id, const char *method, json_t *params);
json_t *jsonrpc_notification(const char *method, json_t *params);

/* The message as one line with its newline; owned by the caller. */
char *jsonrpc_line(const json_t *message, size_t *length);

/* The length of the value as JSON, in bytes. */
size_t jsonrpc_size(const json_t *value);

#endif

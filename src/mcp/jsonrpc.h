/*
 * JSON-RPC 2.0 as MCP uses it (basic/index, "Messages"): telling messages apart and building them.
 * Knows nothing of methods.
 */
#ifndef MCP_JSONRPC_H
#define MCP_JSONRPC_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* Codes: JSON-RPC 2.0, section 5.1; the last two are of MCP. */
enum {
    JSONRPC_PARSE_ERROR = -32700,
    JSONRPC_INVALID_REQUEST = -32600,
    JSONRPC_METHOD_NOT_FOUND = -32601,
    JSONRPC_INVALID_PARAMS = -32602,
    JSONRPC_INTERNAL_ERROR = -32603,
    JSONRPC_RESOURCE_NOT_FOUND = -32002, /* until 2025-11-25; then INVALID_PARAMS */
    JSONRPC_UNSUPPORTED_VERSION = -32022 /* since 2026-07-28 */
};

enum message_kind {
    MESSAGE_REQUEST,
    MESSAGE_NOTIFICATION,
    MESSAGE_RESPONSE, /* to a request that we never sent */
    MESSAGE_INVALID
};

struct message {
    enum message_kind kind;
    json_t *id;         /* borrowed; NULL where there is none or none that is valid */
    const char *method; /* borrowed; of a request or notification */
    json_t *params;     /* borrowed; NULL where there are none; of any type */
    const char *wrong;  /* of an invalid one: what is wrong with it */
};

/* Takes a value apart; everything in the message is borrowed from it. */
void jsonrpc_read(struct message *message, json_t *value);

/* Whether this may be an id or a progress token: an integer or a string, not too long to be echoed. */
bool jsonrpc_is_id(const json_t *value);

/* Messages, new references. What is passed in as `result`, `data` or `params` is taken over. */
json_t *jsonrpc_result(json_t *id, json_t *result);
json_t *jsonrpc_error(json_t *id, int code, const char *message,
                      json_t *data); /* NULL: no id, no data */
json_t *jsonrpc_notification(const char *method, json_t *params);

/* The message as one line with its "\n"; owned by the caller. */
char *jsonrpc_line(const json_t *message, size_t *length);

/* Bytes of the value as JSON. */
size_t jsonrpc_size(const json_t *value);

#endif

/*
 * Messages of JSON-RPC that answer a request of a program.
 */
#ifndef TOOLS_TOOL_ANSWER_H
#define TOOLS_TOOL_ANSWER_H

#include <jansson.h>

/* Errors of JSON-RPC 2.0, section 5.1. */
enum tool_error {
    TOOL_PARSE_ERROR = -32700,
    TOOL_INVALID_REQUEST = -32600,
    TOOL_METHOD_NOT_FOUND = -32601,
    TOOL_INVALID_PARAMS = -32602,
    TOOL_INTERNAL_ERROR = -32603,
};

/* The message of a result, which is taken over, and of an error. The id may be NULL for that. */
json_t *tool_answer(json_t *id, json_t *result);
json_t *tool_answer_error(json_t *id, enum tool_error code, const char *message);

#endif

/*
 * Messages of JSON-RPC that answer a request of a program.
 */
#ifndef TOOLS_TOOL_ANSWER_H
#define TOOLS_TOOL_ANSWER_H

#include <jansson.h>

#include "base/jsonrpc_codes.h"

/* The message of a result, which is taken over, and of an error. The id may be NULL for that. */
json_t *tool_answer(json_t *id, json_t *result);
json_t *tool_answer_error(json_t *id, enum jsonrpc_code code, const char *message);

#endif

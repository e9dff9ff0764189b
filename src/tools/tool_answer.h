/*
 * Messages of JSON-RPC that answer a request of a program, and what isolator-call prints of them.
 */
#ifndef TOOLS_TOOL_ANSWER_H
#define TOOLS_TOOL_ANSWER_H

#include <jansson.h>

#include "base/jsonrpc_codes.h"
#include "base/strbuf.h"

/* The message of a result, which is taken over, and of an error. The id may be NULL for that. */
json_t *tool_answer(json_t *id, json_t *result);
json_t *tool_answer_error(json_t *id, enum jsonrpc_code code, const char *message);

/*
 * Adds the message as parts (base/mux.h): the value is structured content as JSON, else texts,
 * files, and what is neither as JSON; of a list its tools.
 */
void tool_answer_add_parts(const json_t *message, struct strbuf *out);

#endif

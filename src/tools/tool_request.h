/*
 * A request of a program that takes time: a tools/list or a tools/call (MCP 2025-11-25,
 * server/tools), with the tools of the servers that the program may use, named SERVER.TOOL. What
 * the rules do not allow is neither listed nor called. Nothing here waits: a request goes on when
 * tool_request_serve() is called. Knows no connections.
 */
#ifndef TOOLS_TOOL_REQUEST_H
#define TOOLS_TOOL_REQUEST_H

#include <jansson.h>
#include <stddef.h>

#include "tools/tool_use.h"

/* Bytes with which a page of a list is full, and of a tool that no page has. */
enum { TOOL_REQUEST_PAGE_BYTES = 250000, TOOL_REQUEST_TOOL_BYTES = 1000000 };

struct tool_request;

/*
 * Make a request that borrows `use` and is served later; `bytes` is its length. The parameters are
 * those of the message, and may be NULL. NULL: they are wrong, and *problem, a literal, says why.
 */
struct tool_request *tool_request_list(struct tool_use *use, json_t *id, const json_t *params,
                                       size_t bytes, const char **problem);
struct tool_request *tool_request_call(struct tool_use *use, json_t *id, const json_t *params,
                                       size_t bytes, const char **problem);

/* The id, borrowed. */
const json_t *tool_request_id(const struct tool_request *request);

/*
 * Goes on as far as that is possible now. Returns the message that answers it, a new reference;
 * NULL: not yet. Then it is freed.
 */
json_t *tool_request_serve(struct tool_request *request);

/* Frees it without an answer, and cancels what it waits for. NULL is ignored. */
void tool_request_free(struct tool_request *request);

#endif

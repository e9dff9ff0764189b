/*
 * What the files of a request share: tools/tool_request.c has its beginning, its end and
 * tools/call, tools/tool_request_list.c tools/list and how a server is asked for its tools.
 */
#ifndef TOOLS_TOOL_REQUEST_STATE_H
#define TOOLS_TOOL_REQUEST_STATE_H

#include "tools/tool_request.h"

enum request_state {
    REQUEST_NEW,
    REQUEST_LISTING, /* its server is asked for its tools */
    REQUEST_ASKING,  /* a person is asked about the call, or will be */
    REQUEST_READY,   /* a call that may be made, once fewer are */
    REQUEST_CALLING,
};

/* tools/list if it has a page, else tools/call. */
struct tool_request {
    struct tool_use *use;
    enum request_state state;
    json_t *id;
    size_t bytes;
    long long start;
    struct upstream_listing *listing; /* NULL: no server is asked for its tools */
    /* tools/list: what the answer will have, and where the list goes on */
    json_t *page;
    size_t page_bytes, server, tool;
    /* tools/call */
    char *name;      /* SERVER.TOOL */
    char *arguments; /* as JSON: a tree would take many times as much memory */
    const struct tool_source *source;
    struct upstream_call *call; /* REQUEST_CALLING */
};

/* Starts to ask a server for its tools. NULL: ERROR_SYSTEM. */
struct upstream_listing *tool_request_ask(struct tool_use *use, const struct tool_source *source,
                                          struct error *error);

/* Takes them, as upstream_listing_take() does. The reason why there are none is a warning too. */
enum upstream_outcome tool_request_take_list(struct tool_request *request,
                                             struct upstream_tools **tools, char **why);

/* tool_request_serve() for tools/list: does not free it. */
json_t *tool_request_serve_list(struct tool_request *request);

#endif

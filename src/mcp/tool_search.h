/*
 * The calls of search_tools: finds tools that programs may call (tools/tool_request.h) by words.
 * The first search starts the servers. It waits for them without a thread of its own.
 *
 * All functions are for the main thread.
 */
#ifndef MCP_TOOL_SEARCH_H
#define MCP_TOOL_SEARCH_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "base/strvec.h"
#include "mcp/responder.h"
#include "request/tools_argument.h"
#include "tools/tool_consent.h"
#include "tools/tool_set.h"

/* Searches at once. */
enum { TOOL_SEARCHES_MAX = 16 };

struct tool_search;

struct tool_searches {
    struct tool_set *set; /* borrowed, like the next two; NULL: there are no servers */
    const struct strvec *servers;
    const struct notifier *changed;
    size_t max_text;          /* bytes of a result */
    struct tool_search *list; /* in the order in which they came */
    int count;
};

/* Everything is borrowed; `changed` is raised when tool_searches_serve() has something to do. */
void tool_searches_init(struct tool_searches *searches, struct tool_set *set,
                        const struct strvec *servers, size_t max_text,
                        const struct notifier *changed);

/*
 * Begins a search, and uses the responder; the response comes when all servers have listed their
 * tools or have failed. With an asker, tools that need a person's consent are found too.
 * ERROR_ENGINE if there are too many searches.
 */
int tool_searches_begin(struct tool_searches *searches, struct responder *responder,
                        struct tool_search_arguments *arguments, const struct tool_asker *asker,
                        struct error *error);

/* Goes on with all searches. */
void tool_searches_serve(struct tool_searches *searches);

/* Cancels those with this id; no response is sent. */
void tool_searches_cancel(struct tool_searches *searches, const json_t *id);

bool tool_searches_done(const struct tool_searches *searches);

/* Responds to all, because the server shuts down. */
void tool_searches_end(struct tool_searches *searches);

#endif

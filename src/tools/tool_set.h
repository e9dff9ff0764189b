/*
 * All servers of tools that the configuration names: what a process needs of them, once. A server
 * starts when its tools are first wanted, and is shared by all requests from then on.
 */
#ifndef TOOLS_TOOL_SET_H
#define TOOLS_TOOL_SET_H

#include "base/error.h"
#include "config/config.h"
#include "tools/tool_rules.h"
#include "tools/upstream.h"

struct tool_set;

/* A server. The rules do not change. */
struct tool_source {
    const struct tool_server *server; /* borrowed from the configuration */
    struct tool_rules rules;
};

/*
 * Borrows the configuration, which has at least one server. Before the first thread of the program,
 * since it starts the process that ends the servers if isolator is killed (tools/server_guard.h).
 * NULL: ERROR_USAGE, for a pattern that the configuration has excluded.
 */
struct tool_set *tool_set_new(const struct config *config, struct error *error);

/* Ends all servers, and does not wait (upstream_end()). NULL is ignored. */
void tool_set_end(struct tool_set *set);

/*
 * After tool_set_end(), when no request is left: waits for the end of all servers. False: the
 * deadline (clock_now_ms(); 0: none) is over. True for NULL.
 */
bool tool_set_wait(const struct tool_set *set, long long deadline);

/* Ends all servers, waits for that, and frees everything. No call is left. NULL is ignored. */
void tool_set_free(struct tool_set *set);

/* What all calls of one request may do together. */
const struct tool_limits *tool_set_limits(const struct tool_set *set);

/* The server of this name, borrowed; NULL: there is none. */
const struct tool_source *tool_set_find(const struct tool_set *set, const char *name);

/*
 * Its connection, borrowed, which is made now if there is none. From any thread. NULL:
 * ERROR_SYSTEM; ERROR_CANCELLED after tool_set_end().
 */
struct upstream *tool_set_upstream(struct tool_set *set, const struct tool_source *source,
                                   struct error *error);

#endif

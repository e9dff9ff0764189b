/*
 * An MCP server over stdio whose tools programs call: isolator is its client (MCP 2025-11-25,
 * basic/lifecycle and server/tools). The server starts at the first use, in a process group of its
 * own, and is started again after its end, at most once in 10 s. This module does not know who
 * calls a tool or whether that is allowed (tools/tool_rules.h).
 *
 * The owner of the configuration trusts the command to run on the host, not what it says: lines,
 * lists and results are bounded, and messages that do not belong here are ignored. A thread writes
 * to the server and reads from it, so no function here waits for the server except
 * upstream_list() and upstream_free(). All functions may be called from any thread.
 */
#ifndef TOOLS_UPSTREAM_H
#define TOOLS_UPSTREAM_H

#include <jansson.h>

#include "base/error.h"
#include "base/notifier.h"
#include "config/tool_servers.h"
#include "tools/server_guard.h"
#include "tools/upstream_tools.h"

struct upstream;
struct upstream_listing;
struct upstream_call;

/*
 * Returns a server that is not started, owned by the caller; it borrows its configuration and the
 * guard, which may be NULL, and copies the limits. NULL: ERROR_SYSTEM.
 */
struct upstream *upstream_new(const struct tool_server *server, const struct tool_limits *limits,
                              const struct server_guard *guard, struct error *error);

/*
 * Before its first use: what it writes where it should not, and to its standard error, stays out of
 * the messages, which programs read, and goes to the standard error of isolator.
 */
void upstream_hide_errors(struct upstream *upstream);

/*
 * Ends the server: its standard input ends, its process group gets SIGTERM after 2 s and SIGKILL
 * 2 s later. Calls and listings that have not ended fail. Does not wait.
 */
void upstream_end(struct upstream *upstream);

/* After upstream_end(): waits for the end. False: the deadline (clock_now_ms(); 0: none) is over.
 */
bool upstream_wait(const struct upstream *upstream, long long deadline);

/*
 * Ends the server, waits for that, and frees everything. All calls have been taken or cancelled
 * before. NULL is allowed.
 */
void upstream_free(struct upstream *upstream);

enum upstream_outcome {
    UPSTREAM_PENDING, /* it has not ended, and still exists */
    UPSTREAM_RESULT,
    UPSTREAM_FAILED,
};

/*
 * Starts the server if it does not run, and asks for the list of its tools, or for a new one if the
 * server has said that it has changed. `done` is borrowed and raised once when the list is there,
 * or there will be none; not after upstream_listing_cancel(). The caller gives the listing to
 * upstream_listing_take() until it has ended, or to upstream_listing_cancel().
 */
struct upstream_listing *upstream_listing_start(struct upstream *upstream,
                                                const struct notifier *done);

/*
 * Takes the list and frees the listing; the caller owns *tools. *why is a message of one line
 * without escape sequences, which names the server and may have text of it; the caller owns it.
 */
enum upstream_outcome upstream_listing_take(struct upstream_listing *listing,
                                            struct upstream_tools **tools, char **why);

/* Frees the listing. NULL is allowed. */
void upstream_listing_cancel(struct upstream_listing *listing);

/*
 * The same in one function that waits; *tools is owned by the caller. `deadline` is a time of
 * clock_now_ms(), 0: none; `cancel` may be NULL. ERROR_CANCELLED; ERROR_ENGINE with the name of the
 * server and what is wrong with it.
 */
int upstream_list(struct upstream *upstream, long long deadline, const struct notifier *cancel,
                  struct upstream_tools **tools, struct error *error);

/*
 * Begins a call; `arguments` is a JSON object as text, which is taken over. `done` is borrowed and
 * raised once when the call has ended, not after upstream_call_cancel(). The caller gives the call
 * to upstream_call_take() until it has ended, or to upstream_call_cancel().
 */
struct upstream_call *upstream_call_start(struct upstream *upstream, const char *tool,
                                          char *arguments, const struct notifier *done);

/*
 * Takes the result of a call and frees the call. *result is an object with "content", an array,
 * "isError", a bool, and perhaps "structuredContent", an object, with at most value_bytes as
 * compact JSON. *why is a message of one line without escape sequences, which may have text of the
 * server. The caller owns both.
 */
enum upstream_outcome upstream_call_take(struct upstream_call *call, json_t **result, char **why);

/* Tells the server that the call is cancelled, and frees it. A late result is dropped. */
void upstream_call_cancel(struct upstream_call *call);

#endif

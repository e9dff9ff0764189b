/*
 * An MCP server for a program in a container, over one connection: initialize, ping, tools/list and
 * tools/call (MCP 2025-11-25); isolator-call gets the answers as parts (base/mux.h). The program is
 * not trusted: lines, requests that are not answered and messages are bounded. Nothing here waits:
 * a session goes on when tool_session_serve() is called. Knows no slots.
 */
#ifndef TOOLS_TOOL_SESSION_H
#define TOOLS_TOOL_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "tools/tool_use.h"

enum {
    TOOL_SESSION_LINE_MAX = 1 << 20,
    TOOL_SESSION_REQUESTS_MAX = 32, /* that are not answered */
    TOOL_SESSION_OUT_MAX = 1 << 18, /* bytes of answers, with which there are no more for now */
};

struct tool_session;

/* Borrows what is shared. */
struct tool_session *tool_session_new(struct tool_use *use);

/* Cancels all calls. NULL is ignored. */
void tool_session_free(struct tool_session *session);

/* Whether it can take a line now. */
bool tool_session_has_room(const struct tool_session *session);

/* Takes a line, without its end; NULL: one that was too long. */
void tool_session_take(struct tool_session *session, const char *line, size_t length);

/* Goes on with all requests, as far as that is possible now. */
void tool_session_serve(struct tool_session *session);

/* Answers that the program has not got yet; the caller drops what it has passed on. */
struct strbuf *tool_session_out(struct tool_session *session);

/* Whether there are requests that are not answered. */
bool tool_session_is_busy(const struct tool_session *session);

#endif

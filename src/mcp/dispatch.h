/*
 * Takes a line apart and answers each message in it, in both eras of the protocol. What the methods
 * do is in methods.c.
 */
#ifndef MCP_DISPATCH_H
#define MCP_DISPATCH_H

#include "mcp/server.h"

/*
 * Dispatches the message in a line. If it is a batch, its messages are left to dispatch_pending().
 */
void dispatch_line(struct server *server, const char *line, size_t length);

/*
 * Dispatches the next message of a batch that was begun. Between two of them the caller waits until
 * the client has taken enough of the responses. False if there is no such batch.
 */
bool dispatch_pending(struct server *server);

/* Drops those messages of a batch that were not dispatched, because the server ends. */
void dispatch_end_batch(struct server *server);

/* Answers a line longer than JSON_TEXT_MAX, which nobody has seen whole. */
void dispatch_too_long(struct server *server);

#endif

/*
 * Parses lines and dispatches the messages in them to the methods (mcp/methods.h), in both eras of
 * the protocol.
 */
#ifndef MCP_DISPATCH_H
#define MCP_DISPATCH_H

#include "mcp/connection.h"

/* Dispatches the message in a line. If it is a batch, dispatch_pending() does the rest. */
void dispatch_line(struct connection *connection, const char *line, size_t length);

/*
 * Dispatches the next message of a batch. False if no batch has any more. The caller waits while
 * the writer is full.
 */
bool dispatch_pending(struct connection *connection);

/* Drops the messages of a batch that were not dispatched yet, because the server shuts down. */
void dispatch_end_batch(struct connection *connection);

/* Responds to a line that is longer than JSON_TEXT_MAX and was skipped. */
void dispatch_too_long(struct connection *connection);

#endif

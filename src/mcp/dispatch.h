/*
 * Takes a line apart and answers each message in it, in both eras of the protocol. What the methods do
 * is in methods.c.
 */
#ifndef MCP_DISPATCH_H
#define MCP_DISPATCH_H

#include "mcp/server.h"

/* Answers the message, or the batch, in a line. */
void dispatch_line(struct server *server, const char *line, size_t length);

/* Answers a line longer than JSON_TEXT_MAX, which nobody has seen whole. */
void dispatch_too_long(struct server *server);

#endif

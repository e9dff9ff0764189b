/*
 * The URIs of this server's resources (RFC 3986): isolator://snippets/NAME, isolator://runs/ID/stdout,
 * isolator://runs/ID/files/PATH.
 */
#ifndef MCP_URI_H
#define MCP_URI_H

/* The start with the path behind it, in which "%XX" stands for what may not be in a URI; owned by the caller. */
char *uri_of(const char *start, const char *path);

/* What a path of a URI stands for, owned; NULL where it is none. */
char *uri_decode(const char *path);

#endif

/*
 * Percent-encoding for the URIs of this server's resources (RFC 3986): isolator://snippets/NAME,
 * isolator://runs/ID/stdout, isolator://runs/ID/files/PATH.
 */
#ifndef MCP_URI_H
#define MCP_URI_H

/* `start` followed by the encoded path; owned by the caller. */
char *uri_of(const char *start, const char *path);

/* The decoded path of a URI, owned; NULL if an escape in it is invalid. */
char *uri_decode(const char *path);

#endif

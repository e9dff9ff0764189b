/*
 * The clients that isolator-mcp knows, by the name that they send as clientInfo.name: what of a
 * tool result each one hands on to its model. Most show the text. Many show structured content in
 * its place, or as well, so that pictures and links are lost or the output comes twice. A client
 * that is not in the table gets all that its revision defines.
 */
#ifndef MCP_KNOWN_CLIENTS_H
#define MCP_KNOWN_CLIENTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "mcp/revision.h"

struct known_client {
    const char *name;
    bool no_structure; /* neither structuredContent nor outputSchema, which requires it */
    bool no_links;     /* a text says the URI of each file */
    bool no_media;     /* as no_links; pictures, audio and files are left out, too */
    int max_text;      /* bytes of the text; 0: what the configuration says */
};

/* The row of the client with this clientInfo, which may be NULL; NULL: there is none. */
const struct known_client *known_client_find(const json_t *client_info);

/* The revision without what the client, which may be NULL, does not hand on. */
struct revision known_client_reads(const struct known_client *client,
                                   const struct revision *revision);

/* Bytes of the text for the client, which may be NULL; `configured` are those for others. */
size_t known_client_max_text(const struct known_client *client, long long configured);

#endif

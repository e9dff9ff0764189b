/*
 * The revisions of the protocol and their features, so that no client gets what its revision does
 * not define.
 *
 * A legacy revision is negotiated with `initialize` and holds for the connection. Each request of a
 * modern one names its revision and is independent of others (2026-07-28, basic/versioning). A
 * client may use both kinds on one connection.
 */
#ifndef MCP_REVISION_H
#define MCP_REVISION_H

#include <stdbool.h>

struct revision {
    const char *name;
    bool modern;      /* per-request _meta, resultType, caching hints; no initialize, no ping */
    bool batches;     /* arrays of messages: only 2025-03-26 */
    bool annotations; /* of tools; progress messages; completions capability: since 2025-03-26 */
    bool media;       /* content other than text: all of them, but see mcp/known_clients.h */
    bool blobs;       /* files are embedded, since there are no links: before 2025-06-18 */
    bool titles;      /* since 2025-06-18, as are the next three */
    bool structured;  /* structuredContent, outputSchema */
    bool links;       /* resource_link */
    bool elicitation; /* questions to a person */
    bool details; /* of structuredContent: none, unless a call asks for them (mcp/responder.h) */
    bool argument_results; /* invalid arguments are tool results: since 2025-11-25 (SEP-1303) */
};

/* The legacy revision of this name; the newest one if there is none of this name. */
const struct revision *revision_legacy(const char *name);

/* The modern revision of this name, or NULL. */
const struct revision *revision_modern(const char *name);

/* The name of modern revision `number`, newest first from 0; NULL after the last. */
const char *revision_modern_name(int number);

#endif

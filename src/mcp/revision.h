/*
 * What each revision of the protocol knows, so that no client is sent what it does not.
 *
 * Legacy revisions are agreed on in `initialize`; a request of a modern one names its revision itself
 * and leaves nothing behind (2026-07-28, basic/versioning). Both may be spoken to one process.
 */
#ifndef MCP_REVISION_H
#define MCP_REVISION_H

#include <stdbool.h>

struct revision {
    const char *name;
    bool modern;      /* per-request _meta, resultType, caching hints; no initialize, no ping */
    bool batches;     /* arrays of messages: 2025-03-26 alone */
    bool annotations; /* of tools; messages of progress; capability completions: 2025-03-26 on */
    bool structured;  /* structuredContent, outputSchema, resource_link, title: 2025-06-18 on */
    bool argument_results; /* wrong arguments are results, not errors: 2025-11-25 on (SEP-1303) */
};

/* The legacy revision of this name, or where there is none of it the newest. */
const struct revision *revision_legacy(const char *name);

/* The modern revision of this name, or NULL. */
const struct revision *revision_modern(const char *name);

/* The names of the modern revisions by number, newest first; NULL behind the last. */
const char *revision_modern_name(int number);

#endif

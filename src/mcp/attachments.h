/*
 * What a tool result has besides its text: links to output that the text omits, and artifacts. They
 * never make the message larger than RESULT_MAX.
 */
#ifndef MCP_ATTACHMENTS_H
#define MCP_ATTACHMENTS_H

#include <jansson.h>
#include <stddef.h>

#include "mcp/result_store.h"
#include "mcp/revision.h"
#include "run/artifacts.h"

/* Bytes of a file name in a text for a model. */
enum { ATTACHMENT_NAME_MAX = 200 };

struct attachments {
    json_t *content;                 /* the array of the tool result; borrowed */
    const struct revision *revision; /* borrowed */
    struct stored_result *stored;    /* what the client can read later; owned */
    size_t size;                     /* bytes of the tool result so far */
    size_t text_left;                /* bytes of text that may still be embedded */
};

/* Begins to attach to a tool result that has its text already; `text_left` as above. */
void attachments_begin(struct attachments *attachments, json_t *tool_result,
                       const struct revision *revision, size_t text_left);

/*
 * Stores the output of a stream, at most STORED_TEXT_MAX bytes, and links to it. Does nothing if
 * the revision has no links. The text is taken over.
 */
void attachments_add_output(struct attachments *attachments, const char *name, struct strbuf *text);

/*
 * Attaches a file: a picture or audio as such, a text as an embedded resource while `text_left` has
 * room for it, anything else as a link to the stored file, or embedded if the revision has no
 * links. A file that is too large for all of that is named in a text.
 */
void attachments_add_file(struct attachments *attachments, const struct artifact *artifact);

/* Puts what was stored into the store, where the client can read it from now on. */
void attachments_end(struct attachments *attachments, struct result_store *store);

#endif

/*
 * The content of a tool result that follows its text: links to output that the text omits, and
 * artifacts. It never makes the tool result larger than RESULT_MAX.
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
    struct stored_result *stored;    /* output and files that the client can read later; owned */
    size_t size;                     /* bytes of the tool result so far */
    size_t text_left;                /* bytes of text that may still be embedded */
};

/* Begins with a tool result that has its text already; `text_left` as above. */
void attachments_begin(struct attachments *attachments, json_t *tool_result,
                       const struct revision *revision, size_t text_left);

/*
 * Stores the output of a stream, at most STORED_TEXT_MAX bytes, and links to it. Without links in
 * the revision it drops the output. Takes ownership of the text.
 */
void attachments_add_output(struct attachments *attachments, const char *name, struct strbuf *text);

/*
 * Attaches a file: a picture or audio as image or audio content, a text that fits into `text_left`
 * as an embedded resource, any other file as a link to the stored file. If the revision has no
 * links, the file is embedded. If it is too large for all of these, a text names it.
 */
void attachments_add_file(struct attachments *attachments, const struct artifact *artifact);

/* Adds what was stored to the store. From now on the client can read it. */
void attachments_end(struct attachments *attachments, struct result_store *store);

#endif

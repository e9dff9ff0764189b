/*
 * The content of a tool result that follows its text: links to output that the text omits, and
 * artifacts. It never makes the tool result larger than RESULT_MAX.
 */
#ifndef MCP_ATTACHMENTS_H
#define MCP_ATTACHMENTS_H

#include <jansson.h>
#include <stddef.h>

#include "base/strbuf.h"
#include "base/strvec.h"
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

/*
 * Begins with a tool result that has its text already; `text_left` as above. Takes ownership of
 * `stored`, to which output and files are added.
 */
void attachments_begin(struct attachments *attachments, json_t *tool_result,
                       const struct revision *revision, struct stored_result *stored,
                       size_t text_left);

/*
 * Makes each picture that is broken or too large (base/picture.h) a file of no known type, and adds
 * a warning that says why. Call it before the result is listed.
 */
void attachments_check_pictures(struct artifacts *artifacts, struct strvec *warnings);

/*
 * Stores the output of a stream, at most STORED_TEXT_MAX bytes, and links to it if the revision has
 * links. If it cannot be stored, a text says so.
 */
void attachments_add_output(struct attachments *attachments, const char *name,
                            const struct strbuf *text);

/*
 * Stores a file and attaches it: a picture or audio as image or audio content, a text that fits
 * into `text_left` as an embedded resource, any other file as a link to the stored file. If the
 * revision has blobs in place of links, the file is embedded. If it is too large for that, or
 * cannot be stored, or the client gets none of these, a text says so.
 */
void attachments_add_file(struct attachments *attachments, const struct artifact *artifact);

/* Adds what was stored to the store. From now on the client can read it. */
void attachments_end(struct attachments *attachments, struct result_store *store);

#endif

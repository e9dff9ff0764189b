/*
 * What goes along with the text of an answer: links to output that is not shown, and artifacts. It never makes the
 * message larger than a message may be.
 */
#ifndef MCP_ATTACHMENTS_H
#define MCP_ATTACHMENTS_H

#include <jansson.h>
#include <stddef.h>

#include "mcp/result_store.h"
#include "mcp/revision.h"
#include "run/artifacts.h"

/* Bytes of a name that a model is shown. */
enum { ATTACHMENTS_NAME_SHOWN = 200 };

struct attachments {
    json_t *content;                 /* the array of the answer; borrowed */
    const struct revision *revision; /* borrowed */
    struct run *run;                 /* what of it is kept to be read later; owned */
    size_t size;                     /* bytes of the answer so far */
    size_t text_left;                /* bytes of text that a model is still shown */
};

/* Attaches to the answer, which has its text; `text_left` as above. */
void attachments_begin(struct attachments *attachments, json_t *answer,
                       const struct revision *revision, size_t text_left);

/*
 * Keeps more of the output of this name than is shown, RUN_TEXT_MAX bytes at most, and links to it; only where the
 * revision knows links. The text is taken over.
 */
void attachments_add_output(struct attachments *attachments, const char *name, struct strbuf *text);

/*
 * Pictures and audio as what they are, texts as resources as long as a model is shown more text, the rest as
 * links to what is kept, or where the revision knows no links, as resources. Names what is too large for all of that.
 */
void attachments_add_file(struct attachments *attachments, const struct artifact *artifact);

/* What is kept can be read from now on. */
void attachments_end(struct attachments *attachments, struct result_store *store);

#endif

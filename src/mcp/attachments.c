#include "mcp/attachments.h"

#include <string.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/memory.h"
#include "base/mime.h"
#include "base/picture.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "mcp/jsonrpc.h"
#include "mcp/resources.h"
#include "mcp/responder.h"
#include "mcp/uri.h"

/* Takes ownership of the content. False if it does not fit into the message. */
static bool attach(struct attachments *attachments, json_t *content)
{
    const size_t size = jsonrpc_size(content) + 1;

    if (attachments->size + size > RESULT_MAX) {
        json_decref(content);
        return false;
    }
    attachments->size += size;
    json_array_append_new(attachments->content, content);
    return true;
}

/* Takes ownership of the text. */
static void attach_text(struct attachments *attachments, char *text)
{
    CLEANUP_FREE char *owned = text;

    attach(attachments, json_pack("{s:s, s:s}", "type", "text", "text", owned));
}

static char *uri_of_stored(const struct attachments *attachments, const char *stored_as)
{
    CLEANUP_FREE char *start =
        string_format("isolator://runs/%s/", stored_result_id(attachments->stored));

    return uri_of(start, stored_as);
}

static json_t *link_to(const struct attachments *attachments, const char *name,
                       const char *stored_as, const char *description, const char *type,
                       size_t size)
{
    CLEANUP_FREE char *uri = uri_of_stored(attachments, stored_as);

    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:I}", "type", "resource_link", "uri", uri, "name",
                     name, "description", description, "mimeType", type, "size", (json_int_t)size);
}

void attachments_add_output(struct attachments *attachments, const char *name,
                            const struct strbuf *text)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (stored_result_add(attachments->stored, name, "text/plain", strbuf_string(text),
                          text->length, &error) != 0)
        attach_text(attachments, string_format("More of %s is not kept: %s.", name, error.message));
    else if (attachments->revision->links)
        attach(attachments, link_to(attachments, name, name,
                                    "More of the output; kept until newer results need its room.",
                                    "text/plain", text->length));
}

/* ---- files */

/* Why a picture cannot be attached as one, a constant; NULL: it can, or is only linked to. */
static const char *problem_of(const struct artifact *artifact)
{
    CLEANUP_FREE char *copy = NULL;

    if (!mime_is_picture(artifact->mime_type) || artifact->length > RESOURCE_BYTES_MAX)
        return NULL;
    if (artifact->data)
        return picture_problem(artifact->mime_type, artifact->data, artifact->length);
    copy = memory_allocate(artifact->length);
    return artifact_read(artifact, 0, copy, artifact->length) == 0
               ? picture_problem(artifact->mime_type, copy, artifact->length)
               : NULL;
}

void attachments_check_pictures(struct artifacts *artifacts, struct strvec *warnings)
{
    for (size_t i = 0; i < artifacts->count; i++) {
        struct artifact *artifact = &artifacts->items[i];
        const char *problem = problem_of(artifact);
        CLEANUP_FREE char *name = text_escape_short(artifact->name, ATTACHMENT_NAME_MAX);

        if (!problem)
            continue;
        strvec_pushf(warnings, "the picture '%s' is returned as a file: %s", name, problem);
        artifact->mime_type = "application/octet-stream";
    }
}

/* A file whose content is in memory. */
struct loaded {
    const struct artifact *artifact;
    const char *data;
    const char *stored_as;
    bool text;
};

static json_t *media(const struct loaded *file)
{
    const char *type = file->artifact->mime_type;
    CLEANUP_FREE char *data = base64_encode(file->data, file->artifact->length);

    return json_pack("{s:s, s:s, s:s}", "type", mime_is_picture(type) ? "image" : "audio", "data",
                     data, "mimeType", type);
}

static json_t *embedded(const struct attachments *attachments, const struct loaded *file, bool text)
{
    const size_t length = file->artifact->length;
    CLEANUP_FREE char *uri = uri_of_stored(attachments, file->stored_as);
    CLEANUP_FREE char *data = text ? NULL : base64_encode(file->data, length);

    return json_pack("{s:s, s:{s:s, s:s, s:o}}", "type", "resource", "resource", "uri", uri,
                     "mimeType", file->artifact->mime_type, text ? "text" : "blob",
                     text ? json_stringn_nocheck(file->data, length) : json_string(data));
}

/* Attaches the content, if that serves the client better than a link and if it fits. */
static bool attach_content(struct attachments *attachments, const struct loaded *file)
{
    const struct revision *revision = attachments->revision;
    const char *type = file->artifact->mime_type;
    const size_t length = file->artifact->length;

    if (!revision->media)
        return false;
    if ((mime_is_picture(type) || (mime_is_audio(type) && revision->annotations)) &&
        attach(attachments, media(file)))
        return true;
    if (file->text && length <= attachments->text_left &&
        attach(attachments, embedded(attachments, file, true))) {
        attachments->text_left -= length;
        return true;
    }
    return revision->blobs && attach(attachments, embedded(attachments, file, file->text));
}

static bool load_and_attach(struct attachments *attachments, const struct artifact *artifact,
                            const char *stored_as)
{
    CLEANUP_FREE char *copy = artifact->data ? NULL : memory_allocate(artifact->length);
    struct loaded file = {artifact, artifact->data ? artifact->data : copy, stored_as, false};

    if (copy && artifact_read(artifact, 0, copy, artifact->length) != 0)
        return false;
    file.text = mime_is_text(file.data, artifact->length);
    return attach_content(attachments, &file);
}

static bool attach_link(struct attachments *attachments, const struct artifact *artifact,
                        const char *stored_as)
{
    const char *description =
        artifact->length > RESOURCE_BYTES_MAX
            ? "A file of the program, too large for one message: append ?offset=N&length=N to the "
              "uri to read a part. Kept until newer results need its room."
            : "A file of the program; kept until newer results need its room.";

    return attachments->revision->links &&
           attach(attachments, link_to(attachments, artifact->name, stored_as, description,
                                       artifact->mime_type, artifact->length));
}

static int store(struct attachments *attachments, const struct artifact *artifact,
                 const char *stored_as, struct error *error)
{
    if (artifact->data)
        return stored_result_add(attachments->stored, stored_as, artifact->mime_type,
                                 artifact->data, artifact->length, error);
    stored_result_add_range(attachments->stored, stored_as, artifact->mime_type, &artifact->range);
    return 0;
}

void attachments_add_file(struct attachments *attachments, const struct artifact *artifact)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *name = text_escape_short(artifact->name, ATTACHMENT_NAME_MAX);
    CLEANUP_FREE char *stored_as = string_format("files/%s", artifact->name);
    CLEANUP_FREE char *uri = uri_of_stored(attachments, stored_as);
    const bool is_stored = store(attachments, artifact, stored_as, &error) == 0;
    const bool attached = (artifact->length <= RESOURCE_BYTES_MAX &&
                           load_and_attach(attachments, artifact, stored_as)) ||
                          (is_stored && attach_link(attachments, artifact, stored_as));

    if (attached && is_stored)
        return;
    attach_text(
        attachments,
        is_stored
            ? string_format("The artifact '%s' is not in this message; its uri is %s.", name, uri)
            : string_format("The artifact '%s' is not kept for later calls: %s.", name,
                            error.message));
}

void attachments_begin(struct attachments *attachments, json_t *tool_result,
                       const struct revision *revision, struct stored_result *stored,
                       size_t text_left)
{
    *attachments = (struct attachments){.content = json_object_get(tool_result, "content"),
                                        .revision = revision,
                                        .stored = stored,
                                        .size = jsonrpc_size(tool_result),
                                        .text_left = text_left};
}

void attachments_end(struct attachments *attachments, struct result_store *store)
{
    result_store_add(store, attachments->stored);
    attachments->stored = NULL;
}

#include "mcp/attachments.h"

#include <string.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/mime.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "mcp/jsonrpc.h"
#include "mcp/responder.h"
#include "mcp/uri.h"

/* Bytes that fit into one message in base64. */
enum { EMBEDDED_DATA_MAX = RESULT_MAX / 4 * 3 - 20000 };

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

void attachments_add_output(struct attachments *attachments, const char *name, struct strbuf *text)
{
    if (attachments->revision->structured &&
        attach(attachments,
               link_to(attachments, name, name, "More of the output; kept for some minutes.",
                       "text/plain", text->length)))
        stored_result_add(attachments->stored, name, "text/plain", text);
    else
        strbuf_release(text);
}

static json_t *media(const struct artifact *artifact)
{
    const char *kind = mime_is_picture(artifact->mime_type) ? "image" : "audio";
    CLEANUP_FREE char *data = base64_encode(artifact->data, artifact->length);

    return json_pack("{s:s, s:s, s:s}", "type", kind, "data", data, "mimeType",
                     artifact->mime_type);
}

/* An embedded resource. */
static json_t *embedded(const struct attachments *attachments, const struct artifact *artifact,
                        const char *stored_as, bool text)
{
    CLEANUP_FREE char *uri = uri_of_stored(attachments, stored_as);
    CLEANUP_FREE char *data = text ? NULL : base64_encode(artifact->data, artifact->length);

    return json_pack("{s:s, s:{s:s, s:s, s:o}}", "type", "resource", "resource", "uri", uri,
                     "mimeType", artifact->mime_type, text ? "text" : "blob",
                     text ? json_stringn_nocheck(artifact->data, artifact->length)
                          : json_string(data));
}

/* False if it does not fit into the message or into the store. */
static bool attach_file(struct attachments *attachments, const struct artifact *artifact)
{
    const struct revision *revision = attachments->revision;
    const char *type = artifact->mime_type;
    const bool text = mime_is_text(artifact->data, artifact->length);
    CLEANUP_FREE char *stored_as = string_format("files/%s", artifact->name);
    struct strbuf data = STRBUF_INIT;
    bool attached = false;

    if (artifact->length > EMBEDDED_DATA_MAX)
        return false;
    if ((mime_is_picture(type) || (mime_is_audio(type) && revision->annotations)) &&
        attach(attachments, media(artifact)))
        return true;
    if (!stored_result_has_room(attachments->stored, artifact->length))
        return false;
    if (text && artifact->length <= attachments->text_left) {
        attached = attach(attachments, embedded(attachments, artifact, stored_as, true));
        attachments->text_left -= attached ? artifact->length : 0;
    }
    if (!attached)
        attached =
            attach(attachments, revision->structured
                                    ? link_to(attachments, artifact->name, stored_as,
                                              "A file of the program; kept for some minutes.", type,
                                              artifact->length)
                                    : embedded(attachments, artifact, stored_as, text));
    if (attached) {
        strbuf_add(&data, artifact->data, artifact->length);
        stored_result_add(attachments->stored, stored_as, type, &data);
    }
    return attached;
}

void attachments_add_file(struct attachments *attachments, const struct artifact *artifact)
{
    CLEANUP_FREE char *name = text_escape_short(artifact->name, ATTACHMENT_NAME_MAX);
    CLEANUP_FREE char *text = string_format(
        "The artifact '%s' does not fit into this message; make it smaller or ask for fewer files.",
        name);

    if (!attach_file(attachments, artifact))
        attach(attachments, json_pack("{s:s, s:s}", "type", "text", "text", text));
}

void attachments_begin(struct attachments *attachments, json_t *tool_result,
                       const struct revision *revision, size_t text_left)
{
    *attachments = (struct attachments){.content = json_object_get(tool_result, "content"),
                                        .revision = revision,
                                        .stored = stored_result_new(),
                                        .size = jsonrpc_size(tool_result),
                                        .text_left = text_left};
}

void attachments_end(struct attachments *attachments, struct result_store *store)
{
    result_store_add(store, attachments->stored);
    attachments->stored = NULL;
}

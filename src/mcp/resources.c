#include "mcp/resources.h"

#include <stdbool.h>
#include <string.h>

#include "base/base64.h"
#include "base/capture.h"
#include "base/cleanup.h"
#include "base/memory.h"
#include "base/mime.h"
#include "base/text.h"
#include "mcp/file_uris.h"
#include "mcp/jsonrpc.h"
#include "mcp/responder.h"
#include "mcp/uri.h"
#include "request/inputs_dir.h"
#include "request/snippets.h"

static const char SNIPPETS[] = "isolator://snippets/";

enum { PAGE_SIZE = 100 };

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* ---- the list */

static json_t *describe_snippet(const struct config *config, const char *name)
{
    CLEANUP_FREE char *uri = uri_of(SNIPPETS, name);
    CLEANUP_FREE char *description = snippet_description(config, name);
    json_t *resource =
        json_pack("{s:s, s:s, s:s}", "uri", uri, "name", name, "mimeType", snippet_mime_type(name));

    if (description)
        json_object_set_new(resource, "description", json_string(description));
    return resource;
}

/* Without type and size if the file cannot be opened. */
static json_t *describe_input(const struct config *config, const char *path)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *uri = uri_of(INPUTS_URI, path);
    json_t *resource = json_pack("{s:s, s:s}", "uri", uri, "name", path);
    struct file_range range;

    if (inputs_dir_open(config, path, &range, &error) != 0)
        return resource;
    json_object_set_new(resource, "mimeType", json_string(inputs_dir_mime_type(path, &range)));
    json_object_set_new(resource, "size", json_integer(range.length));
    shared_file_release(range.file);
    return resource;
}

/*
 * The index of the first resource after the cursor, which is the file name of a snippet or the URI
 * of an input file; an input file may have been removed since. -1: the cursor is invalid.
 */
static long find_page(const struct strvec *snippets, const struct strvec *inputs,
                      const char *cursor)
{
    CLEANUP_FREE char *path = NULL;
    size_t i = 0;

    if (!cursor)
        return 0;
    if (!begins_with(cursor, INPUTS_URI)) {
        while (i < snippets->count && strcmp(snippets->items[i], cursor) != 0)
            i++;
        return i < snippets->count ? (long)i + 1 : -1;
    }
    path = uri_decode(cursor + strlen(INPUTS_URI));
    while (path && i < inputs->count && strcmp(inputs->items[i], path) <= 0)
        i++;
    return path ? (long)(snippets->count + i) : -1;
}

json_t *resources_list(const struct config *config, const char *cursor)
{
    CLEANUP(strvec_release) struct strvec snippets = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec inputs = STRVEC_INIT;
    CLEANUP_FREE char *next = NULL;
    json_t *result, *resources;
    size_t total, end;
    long first;

    snippets_list(config, &snippets);
    inputs_dir_list(config, &inputs);
    total = snippets.count + inputs.count;
    first = find_page(&snippets, &inputs, cursor);
    if (first < 0)
        return NULL;
    end = total - (size_t)first > PAGE_SIZE ? (size_t)first + PAGE_SIZE : total;
    result = json_object();
    resources = json_array();
    json_object_set_new(result, "resources", resources);
    for (size_t i = (size_t)first; i < end; i++)
        json_array_append_new(resources,
                              i < snippets.count
                                  ? describe_snippet(config, snippets.items[i])
                                  : describe_input(config, inputs.items[i - snippets.count]));
    if (end == total)
        return result;
    next = end <= snippets.count ? string_copy(snippets.items[end - 1])
                                 : uri_of(INPUTS_URI, inputs.items[end - snippets.count - 1]);
    json_object_set_new(result, "nextCursor", json_string(next));
    return result;
}

/* ---- reading */

static json_t *text_contents(const char *uri, const char *type, const char *text, size_t length)
{
    CLEANUP(strbuf_release) struct strbuf clean = STRBUF_INIT;

    text_add_utf8(&clean, text, length);
    return json_pack("{s:[{s:s, s:s, s:o}]}", "contents", "uri", uri, "mimeType", type, "text",
                     json_stringn_nocheck(strbuf_string(&clean), clean.length));
}

static json_t *read_snippet(const struct config *config, const char *uri, struct error *error)
{
    CLEANUP_FREE char *name = uri_decode(uri + strlen(SNIPPETS));
    CLEANUP_FREE char *file = snippet_find(config, name ? name : "", error);
    CLEANUP_FREE char *data = NULL;
    size_t length;

    if (file)
        data = snippet_read(config, file, &length, error);
    return data ? text_contents(uri, snippet_mime_type(file), data, length) : NULL;
}

/* The output of a run, or its head and its tail if all of it does not fit into one message. */
static json_t *output_contents(const char *uri, const char *type, const struct strbuf *text)
{
    json_t *result = text_contents(uri, type, strbuf_string(text), text->length);

    for (size_t max = STORED_TEXT_MAX; jsonrpc_size(result) > RESULT_MAX; max /= 2) {
        struct capture capture = CAPTURE_INIT(max);
        struct strbuf part;

        capture_add(&capture, strbuf_string(text), text->length);
        part = capture_take_text(&capture);
        json_decref(result);
        result = text_contents(uri, type, strbuf_string(&part), part.length);
        strbuf_release(&part);
    }
    return result;
}

static json_t *blob_contents(const char *uri, const char *type, const struct strbuf *data)
{
    CLEANUP_FREE char *text = base64_encode(strbuf_string(data), data->length);

    return json_pack("{s:[{s:s, s:s, s:s}]}", "contents", "uri", uri, "mimeType", type, "blob",
                     text);
}

/* Exactly these bytes: as text if they are text and fit, else as a blob. */
static json_t *exact_contents(const char *uri, const char *type, const struct strbuf *data)
{
    json_t *result;

    if (!mime_is_text(strbuf_string(data), data->length))
        return blob_contents(uri, type, data);
    result = text_contents(uri, type, strbuf_string(data), data->length);
    if (jsonrpc_size(result) <= RESULT_MAX)
        return result;
    json_decref(result);
    return blob_contents(uri, type, data);
}

/* A part of a file that a client asks for: -1 stands for a number that it leaves out. */
struct asked {
    long long offset, length;
};

/* Narrows the range to the part. */
static int choose_part(struct file_range *range, const struct asked *asked, struct error *error)
{
    const long long offset = asked->offset < 0 ? 0 : asked->offset;
    const long long left = range->length - offset;

    if (left < 0)
        return error_set(error, ERROR_INPUT, "it has only %lld bytes", range->length);
    if (asked->length > RESOURCE_BYTES_MAX)
        return error_set(error, ERROR_INPUT, "length can be at most %d", RESOURCE_BYTES_MAX);
    range->offset += offset;
    range->length = asked->length >= 0 && asked->length < left ? asked->length : left;
    if (asked->length < 0 && range->length > RESOURCE_BYTES_MAX)
        range->length = RESOURCE_BYTES_MAX;
    return 0;
}

static int load(const struct file_range *range, struct strbuf *data, struct error *error)
{
    CLEANUP_FREE char *bytes = memory_allocate((size_t)range->length);

    if (shared_file_read(range->file, range->offset, bytes, (size_t)range->length) != 0)
        return error_set_errno(error, ERROR_INPUT, "cannot read it");
    strbuf_add(data, bytes, (size_t)range->length);
    return 0;
}

static json_t *part_contents(const char *uri, const struct stored_part *part,
                             const struct asked *asked, struct error *error)
{
    CLEANUP(strbuf_release) struct strbuf data = STRBUF_INIT;
    const bool whole = asked->offset < 0 && asked->length < 0;
    const bool output = begins_with(uri, RUNS_URI) && !strstr(uri, "/files/");
    struct file_range range = part->range;

    if (whole && !output && range.length > RESOURCE_BYTES_MAX) {
        error_set(error, ERROR_INPUT,
                  "it has %lld bytes, too many for one message; read it in parts: append "
                  "?offset=0&length=%d, and so on",
                  range.length, RESOURCE_BYTES_MAX);
        return NULL;
    }
    if ((!whole && choose_part(&range, asked, error) != 0) || load(&range, &data, error) != 0)
        return NULL;
    return whole && output ? output_contents(uri, part->mime_type, &data)
                           : exact_contents(uri, part->mime_type, &data);
}

static json_t *read_file(const struct file_uris *uris, const char *uri, struct error *error)
{
    struct asked asked;
    CLEANUP_FREE char *plain = file_uris_split(uri, &asked.offset, &asked.length, error);
    struct stored_part part;
    json_t *result;

    if (!plain || file_uris_open(uris, plain, &part, error) != 0)
        return NULL;
    result = part_contents(uri, &part, &asked, error);
    shared_file_release(part.range.file);
    return result;
}

json_t *resources_read(const struct config *config, struct result_store *store, const char *uri,
                       struct error *error)
{
    const struct file_uris uris = {config, store};
    json_t *result = NULL;

    if (begins_with(uri, SNIPPETS))
        result = read_snippet(config, uri, error);
    else if (begins_with(uri, RUNS_URI) || begins_with(uri, INPUTS_URI))
        result = read_file(&uris, uri, error);
    else
        error_set(error, ERROR_INPUT, "a resource URI begins with %s, %s or %s", SNIPPETS,
                  INPUTS_URI, RUNS_URI);
    if (result && jsonrpc_size(result) > RESULT_MAX) {
        json_decref(result);
        result = NULL;
        error_set(error, ERROR_INPUT, "the resource is too large for one message");
    }
    return result;
}

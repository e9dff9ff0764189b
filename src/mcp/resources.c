#include "mcp/resources.h"

#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/capture.h"
#include "base/cleanup.h"
#include "base/mime.h"
#include "base/text.h"
#include "config/snippets.h"
#include "mcp/jsonrpc.h"
#include "mcp/responder.h"
#include "mcp/uri.h"

static const char SNIPPETS[] = "isolator://snippets/";
static const char RUNS[] = "isolator://runs/";
static const char TEMPLATE[] = "isolator://snippets/{snippet_name}";
static const char VARIABLE[] = "snippet_name";

/* The second is given by server/utilities/completion. */
enum { PAGE_SIZE = 100, COMPLETIONS_MAX = 100 };

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

json_t *resources_list(const struct config *config, const char *cursor)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    json_t *result, *resources;
    size_t first = 0;

    snippets_list(config, &names);
    if (cursor) { /* the last name of the previous page */
        while (first < names.count && strcmp(names.items[first], cursor) != 0)
            first++;
        if (first++ == names.count)
            return NULL;
    }
    result = json_object();
    resources = json_array();
    json_object_set_new(result, "resources", resources);
    for (size_t i = first; i < names.count && i < first + PAGE_SIZE; i++)
        json_array_append_new(resources, describe_snippet(config, names.items[i]));
    if (first + PAGE_SIZE < names.count)
        json_object_set_new(result, "nextCursor", json_string(names.items[first + PAGE_SIZE - 1]));
    return result;
}

json_t *resources_templates(void)
{
    return json_pack("{s:[{s:s, s:s, s:s, s:s}]}", "resourceTemplates", "uriTemplate", TEMPLATE,
                     "name", "snippet", "description",
                     "A stored snippet; execute_code runs it by snippet_name.", "mimeType",
                     "text/plain");
}

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

/* A whole file: as text if it is text and fits, else as a blob. */
static json_t *file_contents(const char *uri, const char *type, const struct strbuf *data)
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

static json_t *read_stored_result(struct result_store *store, const char *uri)
{
    const char *rest = uri + strlen(RUNS);
    const size_t length = strcspn(rest, "/");
    CLEANUP_FREE char *id = string_format("%.*s", length < STORED_ID_SIZE ? (int)length : 0, rest);
    CLEANUP_FREE char *name = rest[length] == '/' ? uri_decode(rest + length + 1) : NULL;
    CLEANUP(strbuf_release) struct strbuf data = STRBUF_INIT;
    const char *type = name ? result_store_read(store, id, name, &data) : NULL;

    if (!type)
        return NULL;
    if (strncmp(name, "files/", 6) != 0)
        return output_contents(uri, type, &data);
    return file_contents(uri, type, &data);
}

json_t *resources_read(const struct config *config, struct result_store *store, const char *uri,
                       struct error *error)
{
    json_t *result = NULL;

    if (strncmp(uri, SNIPPETS, strlen(SNIPPETS)) == 0) {
        result = read_snippet(config, uri, error);
    } else if (strncmp(uri, RUNS, strlen(RUNS)) == 0) {
        result = read_stored_result(store, uri);
        if (!result)
            error_set(error, ERROR_INPUT, "this output has expired or never existed");
    } else {
        error_set(error, ERROR_INPUT, "a resource URI begins with %s or %s", SNIPPETS, RUNS);
    }
    if (result && jsonrpc_size(result) > RESULT_MAX) {
        json_decref(result);
        result = NULL;
        error_set(error, ERROR_INPUT, "the resource is too large for one message");
    }
    return result;
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

json_t *resources_complete(const struct config *config, const char *uri, const char *argument,
                           const char *value)
{
    CLEANUP(strvec_release) struct strvec files = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    json_t *values;
    size_t total = 0;

    if (strcmp(uri, TEMPLATE) != 0 || strcmp(argument, VARIABLE) != 0)
        return NULL;
    values = json_array();
    snippets_list(config, &files);
    snippets_shortest_names(&files, &names);
    for (size_t i = 0; i < names.count; i++) {
        const char *name = begins_with(names.items[i], value) ? names.items[i] : files.items[i];

        if (begins_with(name, value) && total++ < COMPLETIONS_MAX)
            json_array_append_new(values, json_string(name));
    }
    return json_pack("{s:{s:o, s:I, s:b}}", "completion", "values", values, "total",
                     (json_int_t)total, "hasMore", total > COMPLETIONS_MAX);
}

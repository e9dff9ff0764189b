#include "request/argument_files.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "request/argument_names.h"

/* Comparing the names takes time. */
enum { FILES_MAX = 10000 };

/* Files that are named by a URI: each may need a descriptor. */
enum { OPENED_MAX = 256 };

/* What follows "data:TYPE;base64,"; NULL if the text does not begin like that. */
static const char *after_data_url(const char *text)
{
    static const char mark[] = ";base64,";
    const char *comma = strncmp(text, "data:", 5) == 0 ? strchr(text, ',') : NULL;
    const size_t length = comma ? (size_t)(comma + 1 - text) : 0;

    return length >= strlen(mark) + 5 &&
                   strncmp(text + length - strlen(mark), mark, strlen(mark)) == 0
               ? text + length
               : NULL;
}

/* Decodes base64, also that of URLs (RFC 4648, section 5). Owned; NULL if it is none. */
static char *decode(const char *text, size_t text_length, size_t *length)
{
    CLEANUP_FREE char *copy = memory_allocate(text_length + 1);

    memcpy(copy, text, text_length);
    for (size_t i = 0; i < text_length; i++)
        if (copy[i] == '-')
            copy[i] = '+';
        else if (copy[i] == '_')
            copy[i] = '/';
    return base64_decode(copy, text_length, length);
}

/* Decodes what is base64, and a model's data: URL unless it says that this is a text. */
static char *decode_text(struct argument_reader *reader, const char *name, const json_t *content,
                         bool is_base64, size_t *length)
{
    const char *text = json_string_value(content), *url = after_data_url(text);
    const char *digits = url ? url : text;
    char *data = decode(digits, json_string_length(content) - (size_t)(digits - text), length);

    if (!data && is_base64)
        argument_wrong(reader, name,
                       "an object whose content is valid base64, as its encoding says");
    else if (data && !is_base64)
        argument_warn(reader->warnings,
                      "%s: the data: URL was decoded; to send it as a text, set its encoding to "
                      "\"utf-8\"",
                      name);
    return data;
}

/* Returns the content of an additional file as bytes, owned; NULL with the error. */
static char *decode_content(struct argument_reader *reader, const char *name, const json_t *content,
                            const json_t *encoding, size_t *length)
{
    const char *kind = json_is_string(encoding) ? json_string_value(encoding) : "";
    const bool is_base64 = strcmp(kind, "base64") == 0;
    char *data = NULL;

    if (!json_is_string(content))
        argument_wrong(reader, name, "an object whose content is a string");
    else if (encoding && !is_base64 && strcmp(kind, "utf-8") != 0)
        argument_wrong(reader, name, "an object whose encoding is \"utf-8\" or \"base64\"");
    else if (is_base64 ||
             (!encoding && reader->warnings && after_data_url(json_string_value(content))))
        data = decode_text(reader, name, content, is_base64, length);
    if (!data && json_is_string(content) && (!encoding || strcmp(kind, "utf-8") == 0))
        data = argument_bytes(content, length);
    return data;
}

/* Adds the file that a URI names. */
static int open_file(struct argument_reader *reader, const char *name, const char *path,
                     const json_t *uri, struct input_files *files)
{
    CLEANUP_FREE char *uri_name = string_format("%s.uri", name);
    const char *text = argument_text(reader, uri_name, uri);
    struct file_range range;

    if (!text)
        return -1;
    if (!reader->opener)
        return error_set(reader->error, ERROR_USAGE,
                         "%s: only calls of isolator-mcp can name files; give content", uri_name);
    if (reader->opened++ == OPENED_MAX)
        return error_set(reader->error, ERROR_USAGE, "%s: a call can name at most %d files",
                         uri_name, OPENED_MAX);
    if (reader->opener->open(reader->opener->context, text, &range, reader->error) != 0)
        return error_prefix(reader->error, "%s", uri_name);
    input_files_add_range(files, path, range);
    return 0;
}

/* A member of a file that is neither null nor ""; NULL if there is none. */
static const json_t *given(const json_t *file, const char *name)
{
    const json_t *value = json_object_get(file, name);

    return json_is_null(value) || (json_is_string(value) && json_string_length(value) == 0) ? NULL
                                                                                            : value;
}

/* Whether the file says another encoding than the default, which some hosts fill in. */
static bool has_encoding(const json_t *file)
{
    const json_t *encoding = given(file, "encoding");

    return encoding &&
           (!json_is_string(encoding) || strcmp(json_string_value(encoding), "utf-8") != 0);
}

/* Returns the path of the file, owned, or NULL. */
static char *check_file(struct argument_reader *reader, const char *name, const json_t *file)
{
    const json_t *filename = json_object_get(file, "filename");
    const char *text = json_string_value(filename);
    CLEANUP_FREE char *meant = NULL;
    char *path = NULL;

    if (!filename || json_is_null(filename)) {
        error_set(reader->error, ERROR_USAGE, "%s: filename is missing", name);
        return NULL;
    }
    if (!text || strlen(text) != json_string_length(filename)) {
        argument_wrong(reader, name, "an object whose filename is a string without NUL characters");
        return NULL;
    }
    meant = argument_path(reader, name, text);
    if (given(file, "uri") && (given(file, "content") || has_encoding(file)))
        argument_wrong(reader, name, "an object with either content or uri, not both");
    else if (!(path = input_files_path(meant, reader->workdir, reader->error)))
        error_prefix(reader->error, "%s", name);
    return path;
}

static int add_file(struct argument_reader *reader, const char *name, const json_t *file,
                    struct input_files *files)
{
    CLEANUP_FREE char *path = check_file(reader, name, file);
    const json_t *uri = given(file, "uri"), *content = json_object_get(file, "content");
    char *data;
    size_t length;

    if (!path)
        return -1;
    if (uri)
        return open_file(reader, name, path, uri, files);
    if (reader->opener && (!content || json_is_null(content)))
        return argument_wrong(reader, name, "an object with filename and either content or uri");
    data = decode_content(reader, name, content, given(file, "encoding"), &length);
    if (!data)
        return -1;
    input_files_add(files, path, data, length);
    return 0;
}

static int read_file(struct argument_reader *reader, const char *name, const json_t *file,
                     struct input_files *files)
{
    static const struct argument_alias aliases[] = {
        {"name", "filename"}, {"path", "filename"}, {NULL, NULL}};
    CLEANUP(strvec_release) struct strvec known = STRVEC_INIT;
    const struct argument_names names = {.object = name, .known = &known, .aliases = aliases};
    json_t *resolved;
    int result;

    if (!json_is_object(file))
        return argument_wrong(reader, name, "an object with filename and content");
    strvec_push_each(&known, "filename", "content", "encoding", "uri", NULL);
    resolved = argument_names_resolve(&names, file, reader->warnings, reader->error);
    result = resolved ? add_file(reader, name, resolved, files) : -1;
    json_decref(resolved);
    return result;
}

/* An object alone, whose text a model may also send, is taken for the list of it. */
static json_t *list_of(struct argument_reader *reader, const json_t *value)
{
    return reader->warnings && json_is_object(value) ? json_pack("[O]", value)
                                                     : json_incref((json_t *)value);
}

int argument_files(struct argument_reader *reader, const char *name, const json_t *value,
                   struct input_files *files)
{
    json_auto_t *list = list_of(reader, value);
    size_t i;
    json_t *file;

    if (!json_is_array(list))
        return argument_wrong(reader, name, "an array of objects with filename and content");
    if (json_array_size(list) > FILES_MAX)
        return argument_wrong(reader, name, "an array of at most 10000 files");
    json_array_foreach(list, i, file) {
        CLEANUP_FREE char *item = string_format("%s[%zu]", name, i);
        json_auto_t *meant = argument_meant(reader, file, ARGUMENT_OBJECT);

        if (read_file(reader, item, meant, files) != 0)
            return argument_hint(reader, meant, ARGUMENT_OBJECT);
    }
    return 0;
}

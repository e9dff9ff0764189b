#include "request/argument_values.h"

#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/json_text.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/text.h"

/* Maximum numbers; comparing the names takes time. */
enum { VARIABLES_MAX = 1000, FILES_MAX = 10000, ARGUMENTS_MAX = 10000 };

/* Files that are named by a URI: each may need a descriptor. */
enum { OPENED_MAX = 256 };

/* Maximum bytes of one argument or variable, and of all: the kernel's limits (execve(2)). */
enum { WORD_MAX = 131071, WORDS_MAX = 2000000 };

static bool is_of_type(const json_t *value, enum argument_type type)
{
    switch (type) {
    case ARGUMENT_TEXT:
    case ARGUMENT_NAME:
        return json_is_string(value);
    case ARGUMENT_ARRAY:
        return json_is_array(value);
    case ARGUMENT_OBJECT:
        return json_is_object(value);
    case ARGUMENT_NUMBER:
        return json_is_number(value);
    case ARGUMENT_BOOLEAN:
    case ARGUMENT_VALUE: /* which is never parsed */
        break;
    }
    return json_is_boolean(value);
}

/* Returns what the text says in JSON, a new reference; NULL if that is not of the type. */
static json_t *parse_text(struct argument_reader *reader, const json_t *text,
                          enum argument_type type)
{
    const size_t length = json_string_length(text);
    json_t *value = NULL;

    reader->values += json_text_count(json_string_value(text), length);
    if (reader->values <= JSON_TEXT_VALUES_MAX)
        value = json_text_parse_unique(json_string_value(text), length, NULL);
    if (is_of_type(value, type))
        return value;
    json_decref(value);
    return NULL;
}

json_t *argument_meant(struct argument_reader *reader, json_t *value, enum argument_type type)
{
    json_t *parsed = NULL;

    if (type == ARGUMENT_VALUE)
        return json_incref(value);
    if (json_is_null(value))
        return NULL;
    if (json_is_string(value) && type != ARGUMENT_TEXT) {
        if (json_string_length(value) == 0)
            return NULL;
        parsed = type == ARGUMENT_NAME ? NULL : parse_text(reader, value, type);
    }
    return parsed ? parsed : json_incref(value);
}

json_t *argument_given(struct argument_reader *reader, const json_t *object, const char *name,
                       enum argument_type type)
{
    return argument_meant(reader, json_object_get(object, name), type);
}

int argument_hint(struct argument_reader *reader, const json_t *value, enum argument_type type)
{
    if (!json_is_string(value) || type <= ARGUMENT_NAME || type == ARGUMENT_VALUE)
        return -1;
    return error_hint(reader->error, reader->values > JSON_TEXT_VALUES_MAX
                                         ? "text came that has too many values for JSON in JSON"
                                         : "text came, which is not that in JSON");
}

int argument_wrong(struct argument_reader *reader, const char *name, const char *expected)
{
    return error_set(reader->error, ERROR_USAGE, "%s must be %s", name, expected);
}

const char *argument_text(struct argument_reader *reader, const char *name, const json_t *value)
{
    const char *text = json_string_value(value);

    if (text && strlen(text) == json_string_length(value))
        return text;
    argument_wrong(reader, name, text ? "a string without NUL characters" : "a string");
    return NULL;
}

char *argument_bytes(const json_t *string, size_t *length)
{
    char *copy = memory_allocate(json_string_length(string) + 1);

    *length = json_string_length(string);
    memcpy(copy, json_string_value(string), *length + 1);
    return copy;
}

int argument_stdin(struct argument_reader *reader, const char *name, const json_t *value, int *file)
{
    if (!json_is_string(value))
        return argument_wrong(reader, name, "a string");
    *file = linux_unnamed_file_of(json_string_value(value), json_string_length(value));
    if (*file < 0)
        return error_set_errno(reader->error, ERROR_SYSTEM, "cannot create an unnamed file");
    return 0;
}

/* Returns the content of an additional file as bytes, owned; NULL with the error. */
static char *decode_content(struct argument_reader *reader, const char *name, const json_t *content,
                            const json_t *encoding, size_t *length)
{
    const char *kind = json_is_string(encoding) ? json_string_value(encoding) : "";
    char *data = NULL;

    if (!json_is_string(content))
        argument_wrong(reader, name, "an object whose content is a string");
    else if (!encoding || strcmp(kind, "utf-8") == 0)
        data = argument_bytes(content, length);
    else if (strcmp(kind, "base64") != 0)
        argument_wrong(reader, name, "an object whose encoding is \"utf-8\" or \"base64\"");
    else if (!(data =
                   base64_decode(json_string_value(content), json_string_length(content), length)))
        argument_wrong(reader, name,
                       "an object whose content is valid base64, as its encoding says");
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

/* Checks which members there are. Returns the path of the file, owned, or NULL. */
static char *check_file(struct argument_reader *reader, const char *name, json_t *file)
{
    const json_t *filename = json_object_get(file, "filename");
    const char *text = json_string_value(filename);
    char *path = NULL;
    const char *key;
    json_t *value;

    if (!json_is_object(file) || !filename) {
        argument_wrong(reader, name, "an object with filename and content");
        return NULL;
    }
    json_object_foreach(file, key, value)
    {
        if (strcmp(key, "filename") != 0 && strcmp(key, "content") != 0 &&
            strcmp(key, "encoding") != 0 && strcmp(key, "uri") != 0) {
            argument_wrong(
                reader, name,
                reader->opener
                    ? "an object with filename, content and encoding, or filename and uri"
                    : "an object with filename, content and encoding alone");
            return NULL;
        }
    }
    if (!text || strlen(text) != json_string_length(filename))
        argument_wrong(reader, name, "an object whose filename is a string without NUL characters");
    else if (given(file, "uri") && (given(file, "content") || has_encoding(file)))
        argument_wrong(reader, name, "an object with either content or uri, not both");
    else if (!(path = input_files_path(text, reader->workdir, reader->error)))
        error_prefix(reader->error, "%s", name);
    return path;
}

static int read_file(struct argument_reader *reader, const char *name, json_t *file,
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

int argument_files(struct argument_reader *reader, const char *name, const json_t *value,
                   struct input_files *files)
{
    size_t i;
    json_t *file;

    if (!json_is_array(value))
        return argument_wrong(reader, name, "an array of objects with filename and content");
    if (json_array_size(value) > FILES_MAX)
        return argument_wrong(reader, name, "an array of at most 10000 files");
    json_array_foreach(value, i, file)
    {
        CLEANUP_FREE char *item = string_format("%s[%zu]", name, i);
        json_t *meant = argument_meant(reader, file, ARGUMENT_OBJECT);
        int result = read_file(reader, item, meant, files);

        if (result != 0)
            argument_hint(reader, meant, ARGUMENT_OBJECT);
        json_decref(meant);
        if (result != 0)
            return -1;
    }
    return 0;
}

/* Counts an argument or variable. */
static int count_word(struct argument_reader *reader, const char *name, const char *word)
{
    const size_t length = strlen(word);

    reader->words += length;
    if (length > WORD_MAX)
        return argument_wrong(reader, name,
                              "shorter: a program can be given 128 KiB in one piece at most");
    if (reader->words > WORDS_MAX)
        return error_set(reader->error, ERROR_USAGE,
                         "arguments and environment must be shorter: a program can be given 2 MB "
                         "at most; files and stdin may be larger");
    return 0;
}

int argument_words(struct argument_reader *reader, const char *name, const json_t *value,
                   struct strvec *words)
{
    size_t i;
    json_t *item;

    if (!json_is_array(value))
        return argument_wrong(reader, name, "an array of strings");
    if (json_array_size(value) > ARGUMENTS_MAX)
        return argument_wrong(reader, name, "an array of at most 10000 strings");
    json_array_foreach(value, i, item)
    {
        CLEANUP_FREE char *item_name = string_format("%s[%zu]", name, i);
        const char *text = argument_text(reader, item_name, item);

        if (!text || count_word(reader, item_name, text) != 0)
            return -1;
        strvec_push(words, text);
    }
    return 0;
}

int argument_variables(struct argument_reader *reader, const char *name, const json_t *value,
                       struct strvec *variables)
{
    const char *key;
    json_t *item;

    if (!json_is_object(value))
        return argument_wrong(reader, name, "an object with strings by name");
    if (json_object_size(value) > VARIABLES_MAX)
        return argument_wrong(reader, name, "an object of at most 1000 variables");
    json_object_foreach((json_t *)value, key, item)
    {
        CLEANUP_FREE char *shown = text_escape_short(key, TEXT_SHOWN_MAX);
        CLEANUP_FREE char *item_name = string_format("%s.%s", name, shown);
        CLEANUP_FREE char *assignment = NULL;
        const char *text = argument_text(reader, item_name, item);

        if (!text)
            return -1;
        if (strchr(key, '='))
            return error_set(reader->error, ERROR_USAGE,
                             "%s: the name of a variable cannot have '=' in it", item_name);
        assignment = string_format("%s=%s", key, text);
        if (count_word(reader, item_name, assignment) != 0)
            return -1;
        strvec_push(variables, assignment); /* JSON has no name twice */
    }
    return 0;
}

int argument_seconds(struct argument_reader *reader, const char *name, const json_t *value,
                     double *seconds)
{
    *seconds = json_number_value(value);
    return json_is_number(value) && *seconds > 0
               ? 0
               : argument_wrong(reader, name, "a number of seconds greater than 0");
}

int argument_unknown(struct argument_reader *reader, const char *object, const char *member,
                     const struct strvec *known)
{
    CLEANUP_FREE char *shown = text_escape_short(member, TEXT_SHOWN_MAX);
    CLEANUP_FREE char *names = strvec_join(known, ", ");

    return error_set(reader->error, ERROR_USAGE, "%s has no member '%s'; known are: %s", object,
                     shown, names);
}

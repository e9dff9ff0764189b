#include "config/tool_arguments.h"

#include <math.h>
#include <string.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/text.h"
#include "config/snippets.h"

/* Maximum bytes of a name from the model in a message. */
enum { SHOWN_MAX = 80 };

/* Maximum numbers; comparing the names takes time. */
enum { VARIABLES_MAX = 1000, FILES_MAX = 10000, ARGUMENTS_MAX = 10000 };

/* Maximum bytes of one argument or variable, and of all: the kernel's limits (execve(2)). */
enum { WORD_MAX = 131071, WORDS_MAX = 2000000 };

/* The state of reading the arguments. */
struct reading {
    const struct config *config;
    enum tool_caller caller;
    struct request *request;
    struct error *error;
    size_t words; /* bytes of the arguments and variables so far */
};

static int wrong(struct reading *reading, const char *name, const char *expected)
{
    return error_set(reading->error, ERROR_USAGE, "%s must be %s", name, expected);
}

/* Returns the string, borrowed; NULL with the error if it is none or has a NUL in it. */
static const char *text_of(struct reading *reading, const char *name, const json_t *value)
{
    const char *text = json_string_value(value);

    if (text && strlen(text) == json_string_length(value))
        return text;
    wrong(reading, name, text ? "a string without NUL characters" : "a string");
    return NULL;
}

static char *copy_bytes(const json_t *string, size_t *length)
{
    char *copy = memory_allocate(json_string_length(string) + 1);

    *length = json_string_length(string);
    memcpy(copy, json_string_value(string), *length + 1);
    return copy;
}

static int read_language(struct reading *reading, const char *name, const json_t *value)
{
    const char *text = text_of(reading, name, value);

    if (!text)
        return -1;
    reading->request->language = string_copy(text);
    return 0;
}

static int read_code(struct reading *reading, const char *name, const json_t *value)
{
    if (!json_is_string(value))
        return wrong(reading, name, "a string: the source code");
    reading->request->input.code = copy_bytes(value, &reading->request->input.code_length);
    return 0;
}

static int read_filename(struct reading *reading, const char *name, const json_t *value)
{
    const char *text = text_of(reading, name, value);

    if (!text)
        return -1;
    if (input_files_check_path(text, reading->error) != 0)
        return error_prefix(reading->error, "%s", name);
    reading->request->entrypoint = string_copy(text);
    return 0;
}

/* Returns the content of an additional file as bytes, owned; NULL with the error. */
static char *decode_content(struct reading *reading, const char *name, const json_t *content,
                            const json_t *encoding, size_t *length)
{
    const char *kind = json_is_string(encoding) ? json_string_value(encoding) : "";
    char *data = NULL;

    if (!json_is_string(content))
        wrong(reading, name, "an object whose content is a string");
    else if (!encoding || json_is_null(encoding) || strcmp(kind, "utf-8") == 0)
        data = copy_bytes(content, length);
    else if (strcmp(kind, "base64") != 0)
        wrong(reading, name, "an object whose encoding is \"utf-8\" or \"base64\"");
    else if (!(data =
                   base64_decode(json_string_value(content), json_string_length(content), length)))
        wrong(reading, name, "an object whose content is valid base64, as its encoding says");
    return data;
}

static int read_file(struct reading *reading, const char *name, json_t *file)
{
    const json_t *filename = json_object_get(file, "filename");
    const char *path, *key;
    char *data;
    size_t length;
    json_t *value;

    if (!json_is_object(file) || !filename)
        return wrong(reading, name, "an object with filename and content");
    json_object_foreach(file, key, value)
    {
        if (strcmp(key, "filename") != 0 && strcmp(key, "content") != 0 &&
            strcmp(key, "encoding") != 0)
            return wrong(reading, name, "an object with filename, content and encoding alone");
    }
    path = json_string_value(filename);
    if (!path || strlen(path) != json_string_length(filename))
        return wrong(reading, name, "an object whose filename is a string without NUL characters");
    if (input_files_check_path(path, reading->error) != 0)
        return error_prefix(reading->error, "%s", name);
    data = decode_content(reading, name, json_object_get(file, "content"),
                          json_object_get(file, "encoding"), &length);
    if (!data)
        return -1;
    input_files_add(&reading->request->input.files, path, data, length);
    return 0;
}

static int read_files(struct reading *reading, const char *name, const json_t *value)
{
    size_t i;
    json_t *file;

    if (!json_is_array(value))
        return wrong(reading, name, "an array of objects with filename and content");
    if (json_array_size(value) > FILES_MAX)
        return wrong(reading, name, "an array of at most 10000 files");
    json_array_foreach(value, i, file)
    {
        CLEANUP_FREE char *item = string_format("%s[%zu]", name, i);

        if (read_file(reading, item, file) != 0)
            return -1;
    }
    return 0;
}

static int read_snippet(struct reading *reading, const char *name, const json_t *value)
{
    struct request *request = reading->request;
    const char *text = text_of(reading, name, value);
    CLEANUP_FREE char *file = NULL;

    if (!text)
        return -1;
    file = snippet_find(reading->config, text, reading->error);
    if (file)
        request->input.code =
            snippet_read(reading->config, file, &request->input.code_length, reading->error);
    if (!request->input.code)
        return error_prefix(reading->error, "%s", name);
    request->language = string_copy(config_language_of_file(reading->config, file)->name);
    request->entrypoint = string_copy(file);
    return 0;
}

static int read_stdin(struct reading *reading, const char *name, const json_t *value)
{
    if (!json_is_string(value))
        return wrong(reading, name, "a string");
    reading->request->input.stdin_file =
        linux_unnamed_file_of(json_string_value(value), json_string_length(value));
    if (reading->request->input.stdin_file < 0)
        return error_set_errno(reading->error, ERROR_SYSTEM, "cannot create an unnamed file");
    return 0;
}

/* Counts an argument or variable. */
static int count_word(struct reading *reading, const char *name, const char *word)
{
    const size_t length = strlen(word);

    reading->words += length;
    if (length > WORD_MAX)
        return wrong(reading, name, "shorter: a program can be given 128 KiB in one piece at most");
    if (reading->words > WORDS_MAX)
        return error_set(reading->error, ERROR_USAGE,
                         "arguments and environment must be shorter: a program can be given 2 MB "
                         "at most; files and stdin may be larger");
    return 0;
}

static int read_arguments(struct reading *reading, const char *name, const json_t *value)
{
    size_t i;
    json_t *item;

    if (!json_is_array(value))
        return wrong(reading, name, "an array of strings");
    if (json_array_size(value) > ARGUMENTS_MAX)
        return wrong(reading, name, "an array of at most 10000 strings");
    json_array_foreach(value, i, item)
    {
        CLEANUP_FREE char *item_name = string_format("%s[%zu]", name, i);
        const char *text = text_of(reading, item_name, item);

        if (!text || count_word(reading, item_name, text) != 0)
            return -1;
        strvec_push(&reading->request->arguments, text);
    }
    return 0;
}

static int read_environment(struct reading *reading, const char *name, const json_t *value)
{
    const char *key;
    json_t *item;

    if (!json_is_object(value))
        return wrong(reading, name, "an object with strings by name");
    if (json_object_size(value) > VARIABLES_MAX)
        return wrong(reading, name, "an object of at most 1000 variables");
    json_object_foreach((json_t *)value, key, item)
    {
        CLEANUP_FREE char *shown = text_escape_short(key, SHOWN_MAX);
        CLEANUP_FREE char *item_name = string_format("%s.%s", name, shown);
        CLEANUP_FREE char *assignment = NULL;
        const char *text = text_of(reading, item_name, item);

        if (!text)
            return -1;
        if (strchr(key, '='))
            return error_set(reading->error, ERROR_USAGE,
                             "%s: the name of a variable cannot have '=' in it", item_name);
        assignment = string_format("%s=%s", key, text);
        if (count_word(reading, item_name, assignment) != 0)
            return -1;
        strvec_push(&reading->request->environment, assignment); /* JSON has no name twice */
    }
    return 0;
}

static int read_timeout(struct reading *reading, const char *name, const json_t *value)
{
    const double maximum = reading->config->maximums.limits.number[LIMIT_TIMEOUT];
    double seconds = json_number_value(value);

    if (!json_is_number(value) || !(seconds > 0))
        return wrong(reading, name, "a number of seconds greater than 0");
    if (seconds > maximum) /* false if there is no maximum */
        seconds = maximum;
    return limits_set_number(&reading->request->policy.limits, LIMIT_TIMEOUT, seconds,
                             reading->error);
}

static int read_limit(struct reading *reading, const char *name, const json_t *value)
{
    if (!json_is_number(value))
        return wrong(reading, name, "a number");
    return limits_set_number(&reading->request->policy.limits, tool_arguments_limit(name),
                             json_number_value(value), reading->error);
}

static int read_artifacts(struct reading *reading, const char *name, const json_t *value)
{
    size_t i;
    json_t *item;

    if (!json_is_array(value))
        return wrong(reading, name, "an array of patterns like \"*.png\"");
    json_array_foreach(value, i, item)
    {
        CLEANUP_FREE char *item_name = string_format("%s[%zu]", name, i);
        const char *text = text_of(reading, item_name, item);

        if (!text)
            return -1;
        if (request_add_artifact(reading->request, text, reading->error) != 0)
            return error_prefix(reading->error, "%s", item_name);
    }
    return 0;
}

const char *tool_arguments_namer(const char *subject)
{
    static const struct {
        const char *subject, *name;
    } names[] = {
        {"timeoutSeconds", "timeout_seconds"},
        {"memoryMB", "memory_mb"},
        {"cpuSeconds", "cpu_seconds"},
        {"pidsLimit", "pids_limit"},
        {REQUEST_LANGUAGE, "language"},
        {REQUEST_ENTRYPOINT, "entrypoint_filename"},
        {"workdirMB", "workdirMB in the configuration"}, /* no argument sets it */
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(subject, names[i].subject) == 0)
            return names[i].name;
    return NULL;
}

static const struct argument {
    const char *name;
    int (*read)(struct reading *reading, const char *name, const json_t *value);
    enum limit_number limit; /* that it sets, of those that a model may not always set */
} table[] = {
    {"language", read_language, LIMIT_NUMBERS},
    {"entrypoint_code", read_code, LIMIT_NUMBERS},
    {"entrypoint_filename", read_filename, LIMIT_NUMBERS},
    {"additional_files", read_files, LIMIT_NUMBERS},
    {"snippet_name", read_snippet, LIMIT_NUMBERS},
    {"stdin", read_stdin, LIMIT_NUMBERS},
    {"arguments", read_arguments, LIMIT_NUMBERS},
    {"environment", read_environment, LIMIT_NUMBERS},
    {"timeout_seconds", read_timeout, LIMIT_NUMBERS},
    {"memory_mb", read_limit, LIMIT_MEMORY},
    {"cpus", read_limit, LIMIT_CPUS},
    {"cpu_seconds", read_limit, LIMIT_CPU_TIME},
    {"pids_limit", read_limit, LIMIT_PIDS},
    {"artifacts", read_artifacts, LIMIT_NUMBERS},
};
enum { ARGUMENTS = sizeof table / sizeof *table };

enum limit_number tool_arguments_limit(const char *name)
{
    for (int i = 0; i < ARGUMENTS; i++)
        if (strcmp(table[i].name, name) == 0)
            return table[i].limit;
    return LIMIT_NUMBERS;
}

bool tool_arguments_offers(const struct config *config, enum limit_number which)
{
    return isfinite(config->maximums.limits.number[which]);
}

/* Whether this caller has the argument. */
static bool is_offered(const struct reading *reading, const struct argument *argument)
{
    return argument->limit == LIMIT_NUMBERS || reading->caller == TOOL_CALLER_BATCH ||
           tool_arguments_offers(reading->config, argument->limit);
}

static const json_t *given(const json_t *arguments, const char *name)
{
    const json_t *value = json_object_get(arguments, name);

    return json_is_null(value) ? NULL : value;
}

static int refuse_unknown(const struct reading *reading, const char *key)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;
    CLEANUP_FREE char *shown = text_escape_short(key, SHOWN_MAX);
    CLEANUP_FREE char *known = NULL;

    for (int i = 0; i < ARGUMENTS; i++)
        if (is_offered(reading, &table[i]))
            strvec_push(&names, table[i].name);
    known = strvec_join(&names, ", ");
    return error_set(reading->error, ERROR_USAGE, "there is no argument '%s'; known are: %s", shown,
                     known);
}

/* Checks what the schema cannot say: APIs of models refuse a schema with a choice at its top. */
static int check_choice(const json_t *arguments, const struct config *config, struct error *error)
{
    const bool language = given(arguments, "language") != NULL;
    const bool code = given(arguments, "entrypoint_code") != NULL;
    CLEANUP_FREE char *known = config_language_names(config);

    if (given(arguments, "snippet_name"))
        return !language && !code && !given(arguments, "entrypoint_filename")
                   ? 0
                   : error_set(error, ERROR_USAGE,
                               "snippet_name excludes language, entrypoint_code and "
                               "entrypoint_filename; leave them out, or leave snippet_name out");
    if (language && code)
        return 0;
    if (!language && !code)
        return error_set(error, ERROR_USAGE,
                         "nothing to run: give language and entrypoint_code, or snippet_name");
    return error_set(error, ERROR_USAGE,
                     language ? "entrypoint_code is missing: give the source code of the program"
                              : "language is missing: give one of %s",
                     known);
}

int tool_arguments_read(const json_t *arguments, enum tool_caller caller,
                        const struct config *config, struct request *request, struct error *error)
{
    struct reading reading = {config, caller, request, error, 0};
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)arguments, key, value)
    {
        bool known = false;

        for (int i = 0; i < ARGUMENTS; i++)
            known |= strcmp(key, table[i].name) == 0 && is_offered(&reading, &table[i]);
        if (!known)
            return refuse_unknown(&reading, key);
    }
    if (check_choice(arguments, config, error) != 0)
        return -1;
    for (int i = 0; i < ARGUMENTS; i++) {
        const json_t *argument = given(arguments, table[i].name);

        if (argument && table[i].read(&reading, table[i].name, argument) != 0) {
            error_name_subject(error, tool_arguments_namer);
            return -1;
        }
    }
    return 0;
}

#include "request/checker_arguments.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "request/argument_files.h"

typedef int member_reader(struct argument_reader *reader, const char *name, const json_t *value,
                          struct request *request);

static int read_convention(struct argument_reader *reader, const char *name, const json_t *value,
                           struct request *request)
{
    const char *text = argument_text(reader, name, value);

    if (!text)
        return -1;
    if (strcmp(text, "testlib") != 0 && strcmp(text, "kattis") != 0)
        return argument_wrong(reader, name, "\"testlib\" or \"kattis\"");
    request->checker_convention = strcmp(text, "kattis") == 0 ? CHECKER_KATTIS : CHECKER_TESTLIB;
    return 0;
}

static int read_language(struct argument_reader *reader, const char *name, const json_t *value,
                         struct request *request)
{
    const char *text = argument_text(reader, name, value);

    request->checker->language = text ? string_copy(text) : NULL;
    return text ? 0 : -1;
}

static int read_code(struct argument_reader *reader, const char *name, const json_t *value,
                     struct request *request)
{
    struct input *input = &request->checker->input;

    if (!json_is_string(value))
        return argument_wrong(reader, name, "a string");
    input->code = argument_bytes(value, &input->code_length);
    return 0;
}

static int read_filename(struct argument_reader *reader, const char *name, const json_t *value,
                         struct request *request)
{
    const char *text = argument_text(reader, name, value);
    char *path = text ? input_files_path(text, reader->workdir, reader->error) : NULL;

    if (!path)
        return text ? error_prefix(reader->error, "%s", name) : -1;
    request->checker->entrypoint = path;
    return 0;
}

static int read_files(struct argument_reader *reader, const char *name, const json_t *value,
                      struct request *request)
{
    return argument_files(reader, name, value, &request->checker->input.files);
}

static int read_words(struct argument_reader *reader, const char *name, const json_t *value,
                      struct request *request)
{
    return argument_words(reader, name, value, &request->checker->arguments);
}

/* The error is about a number that the request has too. */
static int set_limit(struct argument_reader *reader, struct request *request,
                     enum limit_number which, double value)
{
    struct limits *limits = &request->checker->policy.limits;

    return limits_set_number(limits, which, value, reader->error) == 0
               ? 0
               : error_prefix(reader->error, "the checker");
}

static int read_timeout(struct argument_reader *reader, const char *name, const json_t *value,
                        struct request *request)
{
    double seconds;

    return argument_seconds(reader, name, value, &seconds) == 0
               ? set_limit(reader, request, LIMIT_TIMEOUT, seconds)
               : -1;
}

static int read_memory(struct argument_reader *reader, const char *name, const json_t *value,
                       struct request *request)
{
    if (!json_is_number(value))
        return argument_wrong(reader, name, "a number");
    return set_limit(reader, request, LIMIT_MEMORY, json_number_value(value));
}

static int read_interactive(struct argument_reader *reader, const char *name, const json_t *value,
                            struct request *request)
{
    return argument_flag(reader, name, value, &request->interactive);
}

static int read_transcript(struct argument_reader *reader, const char *name, const json_t *value,
                           struct request *request)
{
    return argument_flag(reader, name, value, &request->transcript);
}

static const struct member {
    const char *name;
    enum argument_type type;
    member_reader *read;
} members[] = {
    {"convention", ARGUMENT_NAME, read_convention},
    {"language", ARGUMENT_NAME, read_language},
    {"code", ARGUMENT_TEXT, read_code},
    {"filename", ARGUMENT_NAME, read_filename},
    {"files", ARGUMENT_ARRAY, read_files},
    {"arguments", ARGUMENT_ARRAY, read_words},
    {"timeout_seconds", ARGUMENT_NUMBER, read_timeout},
    {"memory_mb", ARGUMENT_NUMBER, read_memory},
    {"interactive", ARGUMENT_BOOLEAN, read_interactive},
    {"transcript", ARGUMENT_BOOLEAN, read_transcript},
};
enum { MEMBERS = sizeof members / sizeof *members };

static int refuse_member(struct argument_reader *reader, const char *name, const char *key)
{
    CLEANUP(strvec_release) struct strvec names = STRVEC_INIT;

    for (int i = 0; i < MEMBERS; i++)
        strvec_push(&names, members[i].name);
    return argument_unknown(reader, name, key, &names);
}

static int read_member(struct argument_reader *reader, const char *name, const char *key,
                       json_t *value, struct request *request)
{
    CLEANUP_FREE char *path = string_format("%s.%s", name, key);
    const struct member *member = members;
    json_t *meant;
    int result;

    while (member < members + MEMBERS && strcmp(member->name, key) != 0)
        member++;
    if (member == members + MEMBERS)
        return refuse_member(reader, name, key);
    meant = argument_meant(reader, value, member->type);
    result = meant ? member->read(reader, path, meant, request) : 0;
    if (result != 0)
        argument_hint(reader, meant, member->type);
    json_decref(meant);
    return result;
}

int checker_arguments_read(struct argument_reader *reader, const char *name, const json_t *value,
                           struct request *request)
{
    const size_t words = reader->words;
    const char *key;
    json_t *member;

    if (!json_is_object(value))
        return argument_wrong(reader, name, "an object");
    request->checker = memory_allocate(sizeof *request->checker);
    request_init(request->checker);
    request->checker_convention = CHECKER_TESTLIB;
    reader->words = 0; /* the checker is another program */
    json_object_foreach((json_t *)value, key, member)
    {
        if (read_member(reader, name, key, member, request) != 0)
            return -1;
    }
    reader->words = words;
    if (!request->checker->language || !request->checker->input.code)
        return error_set(reader->error, ERROR_USAGE, "%s needs a language and code", name);
    if (request->transcript && !request->interactive)
        return error_set(reader->error, ERROR_USAGE,
                         "%s.transcript needs %s.interactive: a checker does not talk", name, name);
    return 0;
}

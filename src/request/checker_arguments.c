#include "request/checker_arguments.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "request/argument_members.h"

static int read_convention(struct argument_reader *reader, const char *name, const json_t *value,
                           void *convention)
{
    const char *text = argument_text(reader, name, value);

    if (!text)
        return -1;
    if (strcmp(text, "testlib") != 0 && strcmp(text, "kattis") != 0)
        return argument_wrong(reader, name, "\"testlib\" or \"kattis\"");
    *(enum checker_convention *)convention =
        strcmp(text, "kattis") == 0 ? CHECKER_KATTIS : CHECKER_TESTLIB;
    return 0;
}

static int read_code(struct argument_reader *reader, const char *name, const json_t *value,
                     void *target)
{
    struct input *input = target;

    if (!json_is_string(value))
        return argument_wrong(reader, name, "a string");
    input->code = argument_bytes(value, &input->code_length);
    return 0;
}

static int read_filename(struct argument_reader *reader, const char *name, const json_t *value,
                         void *filename)
{
    const char *text = argument_text(reader, name, value);
    char *path = text ? input_files_path(text, reader->workdir, reader->error) : NULL;

    if (!path)
        return text ? error_prefix(reader->error, "%s", name) : -1;
    *(char **)filename = path;
    return 0;
}

/* The error is about a number that the request has too. */
static int set_limit(struct argument_reader *reader, struct limits *limits, enum limit_number which,
                     double value)
{
    return limits_set_number(limits, which, value, reader->error) == 0
               ? 0
               : error_prefix(reader->error, "the checker");
}

static int read_timeout(struct argument_reader *reader, const char *name, const json_t *value,
                        void *limits)
{
    double seconds;

    return argument_seconds(reader, name, value, &seconds) == 0
               ? set_limit(reader, limits, LIMIT_TIMEOUT, seconds)
               : -1;
}

static int read_memory(struct argument_reader *reader, const char *name, const json_t *value,
                       void *limits)
{
    if (!json_is_number(value))
        return argument_wrong(reader, name, "a number");
    return set_limit(reader, limits, LIMIT_MEMORY, json_number_value(value));
}

/* The first one and the last two then become those of the request that has the checker. */
#define CHECKER(member) .offset = offsetof(struct request, member)
static const struct argument_member members[] = {
    {"convention", ARGUMENT_NAME, CHECKER(checker_convention), .read = read_convention},
    {"language", ARGUMENT_NAME, CHECKER(language)},
    {"code", ARGUMENT_TEXT, CHECKER(input), .read = read_code},
    {"filename", ARGUMENT_NAME, CHECKER(entrypoint), .read = read_filename},
    {"files", ARGUMENT_FILES, CHECKER(input.files)},
    {"arguments", ARGUMENT_WORDS, CHECKER(arguments)},
    {"timeout_seconds", ARGUMENT_NUMBER, CHECKER(policy.limits), .read = read_timeout},
    {"memory_mb", ARGUMENT_NUMBER, CHECKER(policy.limits), .read = read_memory},
    {"interactive", ARGUMENT_BOOLEAN, CHECKER(interactive)},
    {"transcript", ARGUMENT_BOOLEAN, CHECKER(transcript)},
    ARGUMENT_MEMBERS_END,
};

int checker_arguments_read(struct argument_reader *reader, const char *name, const json_t *value,
                           void *target)
{
    struct request *request = target;
    const size_t words = reader->words;
    struct request *checker;

    if (!json_is_object(value))
        return argument_wrong(reader, name, "an object");
    checker = memory_allocate(sizeof *checker);
    request->checker = checker;
    request_init(checker);
    checker->checker_convention = CHECKER_TESTLIB;
    reader->words = 0; /* the checker is another program */
    if (argument_members_read(reader, members, name, value, checker) != 0)
        return -1;
    reader->words = words;
    request->checker_convention = checker->checker_convention;
    request->interactive = checker->interactive;
    request->transcript = checker->transcript;
    if (!checker->language || !checker->input.code)
        return error_set(reader->error, ERROR_USAGE, "%s needs a language and code", name);
    if (request->transcript && !request->interactive)
        return error_set(reader->error, ERROR_USAGE,
                         "%s.transcript needs %s.interactive: a checker does not talk", name, name);
    return 0;
}

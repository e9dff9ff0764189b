#include "request/program_arguments.h"

#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/io.h"
#include "base/json_text.h"
#include "base/text.h"
#include "docker/image.h"
#include "request/argument_names.h"
#include "request/inputs_dir.h"
#include "request/session_arguments.h"
#include "request/snippets.h"

/* The name without a version at its end, as in "python3.11", owned; NULL if it has none. */
static char *without_version(const char *name)
{
    size_t length = strlen(name);

    while (length > 0 && strchr("0123456789.", name[length - 1]))
        length--;
    if (length == 0 || name[length] == '\0')
        return NULL;
    if (length > 1 && strchr("-@: ", name[length - 1]))
        length--;
    return string_format("%.*s", (int)length, name);
}

int program_argument_language(struct reading *reading, const char *name, const json_t *value)
{
    const char *text = argument_text(&reading->values, name, value);
    const struct language *found = text ? config_language_called(reading->config, text) : NULL;
    CLEANUP_FREE char *shorter =
        text && !found && reading->values.warnings ? without_version(text) : NULL;

    if (shorter && (found = config_language_called(reading->config, shorter))) {
        CLEANUP_FREE char *shown = text_escape_short(text, TEXT_SHOWN_MAX);

        argument_warn(reading->values.warnings,
                      "language '%s' is %s here, in the version that is installed", shown,
                      found->name);
        text = shorter;
    }
    if (!text || config_check_languages(reading->config, (char *[]){(char *)text, NULL},
                                        reading->offered, reading->error) != 0)
        return -1;
    reading->request->language = string_copy(text);
    return 0;
}

int program_argument_image(struct reading *reading, const char *name, const json_t *value)
{
    const struct strvec *patterns = &reading->config->images;
    const char *text = argument_text(&reading->values, name, value);
    CLEANUP_FREE char *image = text ? image_normalize(text, reading->error) : NULL;

    if (!image)
        return text ? error_prefix(reading->error, "%s", name) : -1;
    for (size_t i = 0; i < patterns->count; i++)
        if (image_matches(patterns->items[i], image)) {
            reading->request->image = steal_pointer(&image);
            return 0;
        }
    return error_set(reading->error, ERROR_USAGE,
                     "%s '%s' is not allowed by the configuration (images%s)", name, image,
                     patterns->count == 0 ? ": none" : "");
}

int program_argument_code(struct reading *reading, const char *name, const json_t *value)
{
    if (!json_is_string(value))
        return argument_wrong(&reading->values, name, "a string: the source code");
    reading->request->input.code = argument_bytes(value, &reading->request->input.code_length);
    return 0;
}

/* Reads the file of a program, with `path` below the directory of programs, as the code. */
static int load_program(struct reading *reading, const char *path)
{
    CLEANUP_FREE char *shown = text_escape_short(path, TEXT_SHOWN_MAX);
    CLEANUP_FD const int fd = inputs_dir_open_below(reading->programs, path);
    struct input *input = &reading->request->input;
    struct stat status;

    if (fd < 0 || fstat(fd, &status) != 0)
        return error_set_errno(reading->error, ERROR_INPUT, "cannot open the program '%s'", shown);
    if (status.st_size > JSON_TEXT_MAX)
        return error_set(reading->error, ERROR_INPUT, "the program '%s' has more than %d MiB",
                         shown, JSON_TEXT_MAX >> 20);
    input->code = io_read_start(fd, (size_t)status.st_size, &input->code_length);
    return input->code ? 0
                       : error_set_errno(reading->error, ERROR_INPUT,
                                         "cannot read the program '%s'", shown);
}

int program_argument_file(struct reading *reading, const char *name, const json_t *value)
{
    struct request *request = reading->request;
    const char *text = argument_text(&reading->values, name, value);
    const struct language *language;

    if (!text)
        return -1;
    if (!reading->programs)
        return error_set(reading->error, ERROR_USAGE,
                         "%s: name the directory of programs with isolator batch --programs", name);
    if (load_program(reading, text) != 0)
        return -1;
    language = request->language ? NULL : config_language_of_file(reading->config, text);
    if (language) {
        request->language = string_copy(language->name);
        request->language_of_file = true;
    }
    if (!request->entrypoint) {
        request->entrypoint = string_copy(text_file_name(text));
        request->entrypoint_of_file = true;
    }
    return 0;
}

int program_argument_filename(struct reading *reading, const char *name, const json_t *value)
{
    const char *text = argument_text(&reading->values, name, value);
    CLEANUP_FREE char *meant = text ? argument_path(&reading->values, name, text) : NULL;
    char *path = text ? input_files_path(meant, reading->config->workdir, reading->error) : NULL;

    if (!path)
        return text ? error_prefix(reading->error, "%s", name) : -1;
    reading->request->entrypoint = path;
    return 0;
}

int program_argument_shell(struct reading *reading, const char *name, const json_t *value)
{
    const char *text = argument_text(&reading->values, name, value);

    if (!text)
        return -1;
    reading->request->shell = string_copy(text);
    return 0;
}

int program_argument_snippet(struct reading *reading, const char *name, const json_t *value)
{
    struct request *request = reading->request;
    const char *text = argument_text(&reading->values, name, value);
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

/* Whether the program may be one of a session that is open, whose language need not be given. */
static bool has_open_session(const struct reading *reading, const json_t *arguments)
{
    const json_t *session = json_object_get(arguments, "session");

    return reading->caller == TOOL_CALLER_MODEL ? session_argument_is_id(session) : session != NULL;
}

int program_argument_artifacts(struct reading *reading, const char *name, const json_t *value)
{
    size_t i;
    json_t *item;

    if (!json_is_array(value))
        return argument_wrong(&reading->values, name, "an array of patterns like \"*.png\"");
    json_array_foreach(value, i, item) {
        CLEANUP_FREE char *item_name = string_format("%s[%zu]", name, i);
        const char *text = argument_text(&reading->values, item_name, item);
        CLEANUP_FREE char *pattern = NULL;

        if (!text)
            return -1;
        pattern = argument_path(&reading->values, item_name, text);
        if (request_add_artifact(reading->request, pattern, reading->error) != 0)
            return error_prefix(reading->error, "%s", item_name);
    }
    return 0;
}

/* A line for a workspace has a command in place of a program, and few other members. */
static int check_workspace(const json_t *arguments, struct error *error)
{
    static const char *const members[] = {"workspace",        "command",     "shell",
                                          "environment",      "stdin",       "artifacts",
                                          "additional_files", REQUEST_HOSTS, REQUEST_TOOLS,
                                          "timeout_seconds",  "cpu_seconds"};
    const char *name;
    const json_t *value;

    json_object_foreach((json_t *)arguments, name, value) {
        size_t i = 0;

        while (i < sizeof members / sizeof *members && strcmp(members[i], name) != 0)
            i++;
        if (i == sizeof members / sizeof *members)
            return error_set(
                error, ERROR_USAGE,
                "%s does not go with workspace, whose command runs under what isolator "
                "create was given",
                name);
    }
    return json_object_get(arguments, "command") && json_object_get(arguments, "shell")
               ? error_set(error, ERROR_USAGE, "command and shell cannot be used together")
               : 0;
}

int program_arguments_check(const struct reading *reading, const json_t *arguments)
{
    struct error *error = reading->error;
    const bool language = json_object_get(arguments, "language") != NULL;
    const bool code = json_object_get(arguments, "entrypoint_code") != NULL;
    const bool file = json_object_get(arguments, "entrypoint_file") != NULL;
    CLEANUP_FREE char *known = config_language_names(reading->config, reading->offered);

    if (json_object_get(arguments, "workspace"))
        return check_workspace(arguments, error);
    if (json_object_get(arguments, "command") || json_object_get(arguments, "shell"))
        return error_set(error, ERROR_USAGE, "command and shell need workspace, the name of one");
    if (file)
        return !code && !json_object_get(arguments, "snippet_name")
                   ? 0
                   : error_set(error, ERROR_USAGE,
                               "entrypoint_file excludes entrypoint_code and snippet_name");
    if (json_object_get(arguments, "snippet_name"))
        return !language && !code && !json_object_get(arguments, "entrypoint_filename")
                   ? 0
                   : error_set(error, ERROR_USAGE,
                               "snippet_name excludes language, entrypoint_code and "
                               "entrypoint_filename; leave them out, or leave snippet_name out");
    if (code && (language || has_open_session(reading, arguments)))
        return 0;
    if (!language && !code)
        return error_set(error, ERROR_USAGE,
                         "nothing to run: give language and entrypoint_code, or snippet_name");
    return error_set(error, ERROR_USAGE,
                     language ? "entrypoint_code is missing: give the source code of the program"
                              : "language is missing: give one of %s",
                     known);
}

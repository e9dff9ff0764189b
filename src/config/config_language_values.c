#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "config/command_template.h"
#include "config/config.h"
#include "config/config_values.h"
#include "config/environment.h"
#include "config/filename_pattern.h"
#include "config/input_files.h"
#include "config/language_names.h"
#include "docker/image.h"

int config_value_image(struct json_reader *reader, const json_t *value, void *object)
{
    char **image = object;

    if (json_reader_string(reader, value, image) != 0)
        return -1;
    return json_reader_checked(reader, image_check_reference(*image, reader->error));
}

/* Whether the mark is missing, or is a whole word. */
static bool is_whole_word(const struct strvec *words, const char *mark)
{
    for (size_t i = 0; i < words->count; i++)
        if (strstr(words->items[i], mark) && strcmp(words->items[i], mark) != 0)
            return false;
    return true;
}

int config_value_build(struct json_reader *reader, const json_t *value, void *object)
{
    struct strvec *build = object;

    if (json_reader_list(reader, value, build) != 0) /* an empty one: nothing is built any more */
        return -1;
    return is_whole_word(build, COMMAND_SOURCES)
               ? 0
               : json_reader_wrong_type(reader, "a command with \"" COMMAND_SOURCES
                                                "\" only as a word of its own");
}

/* An empty one: none is named any more. */
int config_value_standard(struct json_reader *reader, const json_t *value, void *object)
{
    char **standard = object;

    if (!json_is_string(value) || json_string_length(value) > 0)
        return json_reader_string(reader, value, standard);
    free(*standard);
    *standard = string_copy("");
    return 0;
}

int config_value_session_command(struct json_reader *reader, const json_t *value, void *object)
{
    return json_reader_list(reader, value, object);
}

int config_value_extensions(struct json_reader *reader, const json_t *value, void *object)
{
    struct strvec *extensions = object;

    if (json_reader_strings(reader, value, extensions) != 0)
        return -1;
    for (size_t i = 0; i < extensions->count; i++)
        if (extensions->items[i][0] != '.' || strchr(extensions->items[i], '/'))
            return json_reader_wrong_type(reader, "extensions with their dot, like \".py\"");
    return 0;
}

int config_value_default_filename(struct json_reader *reader, const json_t *value, void *object)
{
    char **name = object;

    if (json_reader_string(reader, value, name) != 0)
        return -1;
    if (strchr(*name, '/') || strspn(*name, ".") == strlen(*name))
        return json_reader_wrong_type(reader, "the name of a file");
    return json_reader_checked(reader, input_files_check_path(*name, reader->error));
}

int config_value_filename_pattern(struct json_reader *reader, const json_t *value, void *object)
{
    struct filename_pattern **member = object, *pattern;
    CLEANUP_FREE char *text = NULL;

    if (json_reader_string(reader, value, &text) != 0)
        return -1;
    pattern = filename_pattern_new(text, reader->error);
    if (!pattern)
        return json_reader_wrong_value(reader);
    filename_pattern_free(*member);
    *member = pattern;
    return 0;
}

static int read_variable(struct json_reader *reader, const char *name, const json_t *value,
                         void *target)
{
    const char *text = json_string_value(value);
    CLEANUP_FREE char *assignment = NULL;

    if (environment_is_reserved(name, strlen(name)))
        return json_reader_wrong_type(reader, "another name: shells keep this one for themselves");
    if (!environment_is_name(name, strlen(name)))
        return json_reader_wrong_type(reader, "named like a variable: letters, digits, _");
    if (!text || strlen(text) != json_string_length(value))
        return json_reader_wrong_type(reader, "a string");
    assignment = string_format("%s=%s", name, text);
    environment_set(target, assignment);
    return 0;
}

int config_value_environment(struct json_reader *reader, const json_t *value, void *object)
{
    return json_reader_members(reader, value, read_variable, object);
}

static int read_version(struct json_reader *reader, const char *name, const json_t *value,
                        void *target)
{
    const char *text = json_string_value(value);
    CLEANUP_FREE char *assignment = NULL;

    if (!environment_is_name(name, strlen(name)))
        return json_reader_wrong_type(reader, "named like a variable: letters, digits, _");
    if (!text || *text == '\0' || strlen(text) != json_string_length(value) ||
        text[strspn(text, "0123456789.")] != '\0')
        return json_reader_wrong_type(reader, "a version: numbers with dots between them");
    assignment = string_format("%s=%s", name, text);
    environment_set(target, assignment);
    return 0;
}

int config_value_image_versions(struct json_reader *reader, const json_t *value, void *object)
{
    return json_reader_members(reader, value, read_version, object);
}

/* Whether it is names with dots between them, which are safe in a program. */
static bool is_module(const char *text)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

    do {
        const size_t length = strspn(text, letters);

        if (length == 0 || (*text >= '0' && *text <= '9'))
            return false;
        text += length;
    } while (*text++ == '.');
    return text[-1] == '\0';
}

int config_value_preload(struct json_reader *reader, const json_t *value, void *object)
{
    struct strvec *modules = object;

    if (json_reader_list(reader, value, modules) != 0)
        return -1;
    if (modules->count > (size_t)reader->rule->maximum)
        return json_reader_wrong_type(reader, "64 modules at most");
    for (size_t i = 0; i < modules->count; i++)
        if (!is_module(modules->items[i]))
            return json_reader_wrong_type(reader, "names of modules, like numpy or os.path");
    return 0;
}

int config_value_aliases(struct json_reader *reader, const json_t *value, void *object)
{
    struct strvec *aliases = object;

    if (json_reader_list(reader, value, aliases) != 0)
        return -1;
    if (aliases->count > (size_t)reader->rule->maximum) {
        CLEANUP_FREE char *expected = string_format("%.0f names at most", reader->rule->maximum);

        return json_reader_wrong_type(reader, expected);
    }
    for (size_t i = 0; i < aliases->count; i++)
        if (!language_name_is_valid(aliases->items[i]))
            return json_reader_wrong_type(reader, "names of " LANGUAGE_NAME_RULE);
    return 0;
}

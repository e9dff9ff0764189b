#include "config/config_values.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "config/command_template.h"
#include "config/config.h"
#include "config/environment.h"
#include "config/input_files.h"
#include "config/language_names.h"
#include "config/prepare_notes.h"
#include "config/prepare_rules.h"
#include "config/workdir.h"
#include "docker/image.h"

/* Returns what a check of a value returned, with the place in the file in front of its error. */
static int checked(struct json_reader *reader, int result)
{
    return result == 0 ? 0 : json_reader_wrong_value(reader);
}

/* ---- the file itself */

int config_value_ignored(struct json_reader *reader, const struct key_rule *rule,
                         const json_t *value, void *object)
{
    CLEANUP_FREE char *unused = NULL;

    (void)rule;
    (void)object;
    return json_reader_string(reader, value, &unused);
}

int config_value_workdir(struct json_reader *reader, const struct key_rule *rule,
                         const json_t *value, void *object)
{
    struct config *config = object;
    CLEANUP_FREE char *path = NULL;

    (void)rule;
    if (json_reader_string(reader, value, &path) != 0)
        return -1;
    free(config->workdir);
    config->workdir = workdir_parse(path, reader->error);
    return checked(reader, config->workdir ? 0 : -1);
}

/* Returns the absolute form of a path that is relative to the configuration file; owned. */
static char *beside_file(const char *file, const char *path)
{
    CLEANUP_FREE char *real = file ? realpath(file, NULL) : NULL;
    const char *slash = real ? strrchr(real, '/') : NULL;

    if (path[0] == '/')
        return string_copy(path);
    if (!slash)
        return string_format("%s/%s", ISOLATOR_DATADIR, path);
    return string_format("%.*s/%s", (int)(slash - real), real, path);
}

/* Sets a path of the configuration. */
static int set_path(struct json_reader *reader, const json_t *value, const struct config *config,
                    char **member)
{
    CLEANUP_FREE char *path = NULL;

    if (json_reader_string(reader, value, &path) != 0)
        return -1;
    free(*member);
    *member = beside_file(config->file, path);
    return 0;
}

int config_value_prompts_dir(struct json_reader *reader, const struct key_rule *rule,
                             const json_t *value, void *object)
{
    struct config *config = object;

    (void)rule;
    return set_path(reader, value, config, &config->prompts_dir);
}

int config_value_inputs_dir(struct json_reader *reader, const struct key_rule *rule,
                            const json_t *value, void *object)
{
    struct config *config = object;

    (void)rule;
    return set_path(reader, value, config, &config->inputs_dir);
}

int config_value_users(struct json_reader *reader, const struct key_rule *rule, const json_t *value,
                       void *object)
{
    struct config *config = object;
    CLEANUP_FREE char *range = NULL;

    (void)rule;
    if (json_reader_string(reader, value, &range) != 0)
        return -1;
    return checked(reader, sandbox_users_parse(&config->users, range, reader->error));
}

int config_value_images(struct json_reader *reader, const struct key_rule *rule,
                        const json_t *value, void *object)
{
    struct config *config = object;
    CLEANUP(strvec_release) struct strvec list = STRVEC_INIT;

    (void)rule;
    if ((!json_is_array(value) || json_array_size(value) > 0) &&
        json_reader_strings(reader, value, &list) != 0)
        return -1;
    strvec_release(&config->images);
    for (size_t i = 0; i < list.count; i++) {
        char *pattern = image_pattern_normalize(list.items[i], reader->error);

        if (!pattern)
            return checked(reader, -1);
        strvec_push_owned(&config->images, pattern);
    }
    return 0;
}

/* ---- limits */

static int read_limit(struct json_reader *reader, const struct key_rule *rule, const json_t *value,
                      struct limits *limits)
{
    const enum limit_number which = (enum limit_number)(rule - limit_rules);

    if (!json_is_number(value))
        return json_reader_wrong_type(reader, "a number");
    return checked(reader,
                   limits_set_number(limits, which, json_number_value(value), reader->error));
}

int config_value_limit(struct json_reader *reader, const struct key_rule *rule, const json_t *value,
                       void *object)
{
    return read_limit(reader, rule, value, &((struct sandbox_policy *)object)->limits);
}

int config_value_network(struct json_reader *reader, const struct key_rule *rule,
                         const json_t *value, void *object)
{
    CLEANUP_FREE char *name = NULL;

    (void)rule;
    if (json_reader_string(reader, value, &name) != 0)
        return -1;
    return checked(reader, sandbox_policy_set_network(object, name, reader->error));
}

int config_value_read_only(struct json_reader *reader, const struct key_rule *rule,
                           const json_t *value, void *object)
{
    struct sandbox_policy *policy = object;
    bool read_only = false;

    (void)rule;
    if (json_reader_boolean(reader, value, &read_only) != 0)
        return -1;
    policy->read_only = read_only;
    return 0;
}

int config_value_cap_drop(struct json_reader *reader, const struct key_rule *rule,
                          const json_t *value, void *object)
{
    struct sandbox_policy *policy = object;
    CLEANUP(strvec_release) struct strvec list = STRVEC_INIT;
    int result = 0;

    (void)rule;
    if (json_reader_strings(reader, value, &list) != 0)
        return -1;
    strvec_release(&policy->cap_drop);
    for (size_t i = 0; i < list.count && result == 0; i++)
        result = sandbox_policy_add_cap_drop(policy, list.items[i], reader->error);
    return checked(reader, result);
}

int config_value_user(struct json_reader *reader, const struct key_rule *rule, const json_t *value,
                      void *object)
{
    CLEANUP_FREE char *user = NULL;

    (void)rule;
    if (json_reader_string(reader, value, &user) != 0)
        return -1;
    return checked(reader, sandbox_policy_set_user(object, user, reader->error));
}

/* ---- languages */

int config_value_image(struct json_reader *reader, const struct key_rule *rule, const json_t *value,
                       void *object)
{
    struct language *language = object;

    (void)rule;
    if (json_reader_string(reader, value, &language->image) != 0)
        return -1;
    return checked(reader, image_check_reference(language->image, reader->error));
}

/* Whether the mark is missing, or is a whole word. */
static bool is_whole_word(const struct strvec *words, const char *mark)
{
    for (size_t i = 0; i < words->count; i++)
        if (strstr(words->items[i], mark) && strcmp(words->items[i], mark) != 0)
            return false;
    return true;
}

int config_value_build(struct json_reader *reader, const struct key_rule *rule, const json_t *value,
                       void *object)
{
    struct strvec *build = &((struct language *)object)->build;

    (void)rule;
    if (json_is_array(value) && json_array_size(value) == 0) { /* nothing is built any more */
        strvec_release(build);
        return 0;
    }
    if (json_reader_strings(reader, value, build) != 0)
        return -1;
    return is_whole_word(build, COMMAND_SOURCES)
               ? 0
               : json_reader_wrong_type(reader, "a command with \"" COMMAND_SOURCES
                                                "\" only as a word of its own");
}

int config_value_session_command(struct json_reader *reader, const struct key_rule *rule,
                                 const json_t *value, void *object)
{
    struct strvec *command = &((struct language *)object)->session_command;

    (void)rule;
    if (!json_is_array(value) || json_array_size(value) > 0)
        return json_reader_strings(reader, value, command);
    strvec_release(command);
    return 0;
}

int config_value_extensions(struct json_reader *reader, const struct key_rule *rule,
                            const json_t *value, void *object)
{
    struct strvec *extensions = &((struct language *)object)->extensions;

    (void)rule;
    if (json_reader_strings(reader, value, extensions) != 0)
        return -1;
    for (size_t i = 0; i < extensions->count; i++)
        if (extensions->items[i][0] != '.' || strchr(extensions->items[i], '/'))
            return json_reader_wrong_type(reader, "extensions with their dot, like \".py\"");
    return 0;
}

int config_value_default_filename(struct json_reader *reader, const struct key_rule *rule,
                                  const json_t *value, void *object)
{
    char **name = &((struct language *)object)->default_filename;

    (void)rule;
    if (json_reader_string(reader, value, name) != 0)
        return -1;
    if (strchr(*name, '/') || strspn(*name, ".") == strlen(*name))
        return json_reader_wrong_type(reader, "the name of a file");
    return checked(reader, input_files_check_path(*name, reader->error));
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

int config_value_environment(struct json_reader *reader, const struct key_rule *rule,
                             const json_t *value, void *object)
{
    struct language *language = object;

    (void)rule;
    return json_reader_members(reader, value, read_variable, &language->environment);
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

int config_value_image_versions(struct json_reader *reader, const struct key_rule *rule,
                                const json_t *value, void *object)
{
    struct language *language = object;

    (void)rule;
    return json_reader_members(reader, value, read_version, &language->image_versions);
}

int config_value_packages(struct json_reader *reader, const struct key_rule *rule,
                          const json_t *value, void *object)
{
    struct language *language = object;

    (void)rule;
    return prepare_read_packages(reader, value, &language->packages);
}

int config_value_aliases(struct json_reader *reader, const struct key_rule *rule,
                         const json_t *value, void *object)
{
    struct strvec *aliases = &((struct language *)object)->aliases;

    if (json_is_array(value) && json_array_size(value) == 0) {
        strvec_release(aliases);
        return 0;
    }
    if (json_reader_strings(reader, value, aliases) != 0)
        return -1;
    if (aliases->count > (size_t)rule->maximum) {
        CLEANUP_FREE char *expected = string_format("%.0f names at most", rule->maximum);

        return json_reader_wrong_type(reader, expected);
    }
    for (size_t i = 0; i < aliases->count; i++)
        if (!language_name_is_valid(aliases->items[i]))
            return json_reader_wrong_type(reader, "names of " LANGUAGE_NAME_RULE);
    return 0;
}

int config_value_build_limit(struct json_reader *reader, const struct key_rule *rule,
                             const json_t *value, void *object)
{
    return read_limit(reader, rule, value, object);
}

/* ---- preparations */

int config_value_steps(struct json_reader *reader, const struct key_rule *rule, const json_t *value,
                       void *object)
{
    struct preparation *preparation = object;

    (void)rule;
    return prepare_read_steps(reader, value, &preparation->steps);
}

int config_value_steps_files(struct json_reader *reader, const struct key_rule *rule,
                             const json_t *value, void *object)
{
    struct preparation *preparation = object;
    CLEANUP(strvec_release) struct strvec paths = STRVEC_INIT;

    (void)rule;
    strvec_release(&preparation->files);
    if (json_is_array(value) && json_array_size(value) == 0)
        return 0;
    if (json_reader_strings(reader, value, &paths) != 0)
        return -1;
    for (size_t i = 0; i < paths.count; i++) {
        char *path = beside_file(reader->file, paths.items[i]);

        for (size_t end = strlen(path); end > 1 && path[end - 1] == '/'; end--)
            path[end - 1] = '\0'; /* of a directory */
        strvec_push_owned(&preparation->files, path);
    }
    return checked(reader, prepare_check_files(&preparation->files, reader->error));
}

int config_value_steps_network(struct json_reader *reader, const struct key_rule *rule,
                               const json_t *value, void *object)
{
    struct preparation *preparation = object;

    (void)rule;
    return prepare_read_network(reader, value, &preparation->network);
}

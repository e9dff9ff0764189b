/*
 * config_overlay(): the strict reading of one configuration text.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"
#include "config/config.h"
#include "config/environment.h"
#include "config/input_files.h"
#include "config/json_reader.h"
#include "config/prepare_notes.h"
#include "docker/image.h"

static const char *const limit_names[] = {"network", "readOnly", "capDrop", "user"};
enum { LIMIT_NAMES = sizeof limit_names / sizeof *limit_names };

static int read_named_limit(struct json_reader *reader, size_t which, const json_t *value,
                            struct sandbox_policy *policy)
{
    CLEANUP_FREE char *text = NULL;
    CLEANUP(strvec_release) struct strvec list = STRVEC_INIT;
    bool read_only = false;
    int result = 0;

    switch (which) {
    case 0:
        if (json_reader_string(reader, value, &text) != 0)
            return -1;
        result = sandbox_policy_set_network(policy, text, reader->error);
        break;
    case 1:
        if (json_reader_boolean(reader, value, &read_only) != 0)
            return -1;
        policy->read_only = read_only;
        break;
    case 2:
        if (json_reader_strings(reader, value, &list) != 0)
            return -1;
        strvec_release(&policy->cap_drop);
        for (size_t i = 0; i < list.count && result == 0; i++)
            result = sandbox_policy_add_cap_drop(policy, list.items[i], reader->error);
        break;
    case 3:
        if (json_reader_string(reader, value, &text) != 0)
            return -1;
        result = sandbox_policy_set_user(policy, text, reader->error);
        break;
    }
    return result == 0 ? 0 : json_reader_wrong_value(reader);
}

/* Reads a limit. *known says whether the key is one. */
static int read_limit(struct json_reader *reader, const char *key, const json_t *value,
                      struct sandbox_policy *policy, bool *known)
{
    *known = true;
    for (int i = 0; i < LIMIT_NUMBERS; i++) {
        if (strcmp(key, limit_rules[i].key) != 0)
            continue;
        if (!json_is_number(value))
            return json_reader_wrong_type(reader, "a number");
        return limits_set_number(&policy->limits, (enum limit_number)i, json_number_value(value),
                                 reader->error) == 0
                   ? 0
                   : json_reader_wrong_value(reader);
    }
    for (size_t i = 0; i < LIMIT_NAMES; i++)
        if (strcmp(key, limit_names[i]) == 0)
            return read_named_limit(reader, i, value, policy);
    *known = false;
    return 0;
}

/* Names of limits behind other keys, for the nearest right name. */
static size_t add_limit_keys(const char **keys, size_t count)
{
    for (int i = 0; i < LIMIT_NUMBERS; i++)
        keys[count++] = limit_rules[i].key;
    for (size_t i = 0; i < LIMIT_NAMES; i++)
        keys[count++] = limit_names[i];
    return count;
}

static int read_limits_member(struct json_reader *reader, const char *key, json_t *value,
                              void *target)
{
    const char *keys[LIMIT_NUMBERS + LIMIT_NAMES];
    bool known;

    if (read_limit(reader, key, value, target, &known) != 0)
        return -1;
    return known ? 0 : json_reader_unknown_key(reader, keys, add_limit_keys(keys, 0));
}

static int read_variable(struct json_reader *reader, const char *key, json_t *value, void *target)
{
    const char *text = json_string_value(value);

    CLEANUP_FREE char *assignment = NULL;

    if (environment_is_reserved(key, strlen(key)))
        return json_reader_wrong_type(reader, "another name: shells keep this one for themselves");
    if (!environment_is_name(key, strlen(key)))
        return json_reader_wrong_type(reader, "named like a variable: letters, digits, _");
    if (!text || strlen(text) != json_string_length(value))
        return json_reader_wrong_type(reader, "a string");
    assignment = string_format("%s=%s", key, text);
    environment_set(target, assignment);
    return 0;
}

static int read_command(struct json_reader *reader, const json_t *value, struct strvec *command)
{
    if (json_reader_strings(reader, value, command) != 0)
        return -1;
    for (size_t i = 0; i < command->count; i++)
        if (strstr(command->items[i], "{entrypoint}"))
            return 0;
    return json_reader_wrong_type(reader, "a command with \"{entrypoint}\" in it");
}

static int read_extensions(struct json_reader *reader, const json_t *value,
                           struct strvec *extensions)
{
    if (json_reader_strings(reader, value, extensions) != 0)
        return -1;
    for (size_t i = 0; i < extensions->count; i++)
        if (extensions->items[i][0] != '.' || strchr(extensions->items[i], '/'))
            return json_reader_wrong_type(reader, "extensions with their dot, like \".py\"");
    return 0;
}

static int read_preparation_member(struct json_reader *reader, const char *key, json_t *value,
                                   void *target)
{
    static const char *const parts[] = {"run", "network"};
    struct preparation *preparation = target;

    if (strcmp(key, "run") == 0)
        return prepare_read_steps(reader, value, &preparation->steps);
    if (strcmp(key, "network") == 0)
        return prepare_read_network(reader, value, &preparation->network);
    return json_reader_unknown_key(reader, parts, sizeof parts / sizeof *parts);
}

static int read_language_member(struct json_reader *reader, const char *key, json_t *value,
                                void *target)
{
    static const char *const own[] = {"image", "command", "extensions",   "defaultFilename",
                                      "env",   "prepare", "listPackages", "packages"};
    const char *keys[sizeof own / sizeof *own + LIMIT_NUMBERS + LIMIT_NAMES];
    struct language *language = target;
    bool known;

    if (strcmp(key, "image") == 0) {
        if (json_reader_string(reader, value, &language->image) != 0)
            return -1;
        return image_check_reference(language->image, reader->error) == 0
                   ? 0
                   : json_reader_wrong_value(reader);
    }
    if (strcmp(key, "command") == 0)
        return read_command(reader, value, &language->command);
    if (strcmp(key, "extensions") == 0)
        return read_extensions(reader, value, &language->extensions);
    if (strcmp(key, "defaultFilename") == 0) {
        if (json_reader_string(reader, value, &language->default_filename) != 0)
            return -1;
        if (strcspn(language->default_filename, "/") < strlen(language->default_filename) ||
            strspn(language->default_filename, ".") == strlen(language->default_filename))
            return json_reader_wrong_type(reader, "the name of a file");
        return input_files_check_path(language->default_filename, reader->error) == 0
                   ? 0
                   : json_reader_wrong_value(reader);
    }
    if (strcmp(key, "env") == 0)
        return json_reader_members(reader, value, read_variable, &language->environment);
    if (strcmp(key, "prepare") == 0)
        return json_reader_members(reader, value, read_preparation_member, &language->preparation);
    if (strcmp(key, "listPackages") == 0)
        return json_reader_strings(reader, value, &language->list_packages);
    if (strcmp(key, "packages") == 0)
        return prepare_read_packages(reader, value, &language->packages);
    if (read_limit(reader, key, value, &language->policy, &known) != 0)
        return -1;
    memcpy(keys, own, sizeof own);
    return known ? 0
                 : json_reader_unknown_key(reader, keys,
                                           add_limit_keys(keys, sizeof own / sizeof *own));
}

static struct language *add_language(struct config *config, const char *name)
{
    struct language *language;

    config->languages =
        memory_resize(config->languages, (config->language_count + 1) * sizeof *config->languages);
    language = &config->languages[config->language_count++];
    *language = (struct language){.name = string_copy(name)};
    sandbox_policy_init(&language->policy);
    return language;
}

static int read_language(struct json_reader *reader, const char *key, json_t *value, void *target)
{
    static const char name_characters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+#._-";
    struct config *config = target;
    struct language *language = (struct language *)config_language(config, key);

    if (*key == '\0' || key[strspn(key, name_characters)] != '\0')
        return json_reader_wrong_type(reader, "named with letters, digits and any of + # . _ -");
    if (!language)
        language = add_language(config, key);
    if (json_reader_members(reader, value, read_language_member, language) != 0)
        return -1;
    if (!language->image || language->command.count == 0 || language->extensions.count == 0 ||
        !language->default_filename)
        return json_reader_wrong_type(
            reader, "complete: a new language needs image, command, extensions and "
                    "defaultFilename");
    config_prepare(language);
    return 0;
}

/* The absolute form of a path that is relative to the configuration file. */
static char *beside_file(const char *file, const char *path)
{
    CLEANUP_FREE char *real = file ? realpath(file, NULL) : NULL;
    const char *slash = real ? strrchr(real, '/') : NULL;

    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): json_reader_string() fails or sets it */
    if (path[0] == '/')
        return string_copy(path);
    if (!slash)
        return string_format("%s/%s", ISOLATOR_DATADIR, path);
    return string_format("%.*s/%s", (int)(slash - real), real, path);
}

static int read_prompts_dir(struct json_reader *reader, const json_t *value, struct config *config)
{
    CLEANUP_FREE char *path = NULL;

    if (json_reader_string(reader, value, &path) != 0)
        return -1;
    free(config->prompts_dir);
    config->prompts_dir = beside_file(config->file, path);
    return 0;
}

static int read_warm(struct json_reader *reader, const char *key, json_t *value, void *target)
{
    struct config *config = target;
    struct language *language = (struct language *)config_language(config, key);
    CLEANUP_FREE char *known = config_language_names(config);

    if (!language)
        return error_set(reader->error, ERROR_CONFIG, "%s: %s: is no language; known are: %s",
                         JSON_READER_WHERE(reader), known);
    return json_reader_whole(reader, value, 0, 100, &language->warm);
}

static int read_top_member(struct json_reader *reader, const char *key, json_t *value, void *target)
{
    static const char *const keys[] = {"isolatorPath",
                                       "containerCommand",
                                       "containerWorkdir",
                                       "engineTimeoutSeconds",
                                       "promptsDir",
                                       "maxConcurrent",
                                       "maxQueued",
                                       "maxTextBytes",
                                       "defaults",
                                       "maximums",
                                       "languages",
                                       "warm",
                                       "warmMaxAgeSeconds",
                                       "allowUnenforced",
                                       "maxArtifacts",
                                       "maxArtifactBytes",
                                       "$schema"};
    struct config *config = target;
    CLEANUP_FREE char *unused = NULL;

    if (strcmp(key, "isolatorPath") == 0 || strcmp(key, "$schema") == 0)
        return json_reader_string(reader, value, &unused);
    if (strcmp(key, "containerCommand") == 0)
        return json_reader_string(reader, value, &config->container_command);
    if (strcmp(key, "containerWorkdir") == 0) {
        if (json_reader_string(reader, value, &config->workdir) != 0)
            return -1;
        return config_check_workdir(config->workdir, reader->error) == 0
                   ? 0
                   : json_reader_wrong_value(reader);
    }
    if (strcmp(key, "engineTimeoutSeconds") == 0)
        return json_reader_whole(reader, value, 1, 600, &config->engine_timeout);
    if (strcmp(key, "allowUnenforced") == 0)
        return json_reader_boolean(reader, value, &config->allow_unenforced);
    if (strcmp(key, "promptsDir") == 0)
        return read_prompts_dir(reader, value, config);
    if (strcmp(key, "maxConcurrent") == 0)
        return json_reader_whole(reader, value, 1, 1024, &config->max_concurrent);
    if (strcmp(key, "maxQueued") == 0)
        return json_reader_whole(reader, value, 0, 100000, &config->max_queued);
    if (strcmp(key, "maxTextBytes") == 0)
        return json_reader_whole(reader, value, 1000, 450000, &config->max_text_bytes);
    if (strcmp(key, "maxArtifacts") == 0)
        return json_reader_whole(reader, value, 0, 10000, &config->max_artifacts);
    if (strcmp(key, "maxArtifactBytes") == 0)
        return json_reader_whole(reader, value, 0, 1 << 30, &config->max_artifact_bytes);
    if (strcmp(key, "warm") == 0)
        return 0; /* behind the languages, see config_overlay() */
    if (strcmp(key, "warmMaxAgeSeconds") == 0)
        return json_reader_whole(reader, value, 1, 86400, &config->warm_age_most);
    if (strcmp(key, "defaults") == 0)
        return json_reader_members(reader, value, read_limits_member, &config->defaults);
    if (strcmp(key, "maximums") == 0)
        return json_reader_members(reader, value, read_limits_member, &config->maximums);
    if (strcmp(key, "languages") == 0)
        return json_reader_members(reader, value, read_language, config);
    return json_reader_unknown_key(reader, keys, sizeof keys / sizeof *keys);
}

/* Takes the root over. */
static void keep_layer(struct config *config, const char *name, json_t *root)
{
    config->layers = realloc(config->layers, (config->layer_count + 1) * sizeof *config->layers);
    if (!config->layers)
        abort();
    config->layers[config->layer_count++] =
        (struct config_layer){.name = string_copy(name), .root = root};
}

int config_overlay(struct config *config, const char *json, size_t length, const char *name,
                   struct error *error)
{
    struct json_reader reader = {.file = name, .error = error};
    json_error_t where;
    json_t *root = json_loadb(json, length, JSON_REJECT_DUPLICATES, &where);
    int result;

    if (!root) { /* jansson shows where it stopped, which may be within a character */
        CLEANUP_FREE char *shown = text_escape(where.text);
        return error_set(error, ERROR_CONFIG, "%s:%d:%d: %s", name, where.line, where.column,
                         shown);
    }
    if (json_is_object(root)) {
        result = json_reader_members(&reader, root, read_top_member, config);
        if (result == 0 && json_object_get(root, "warm")) {
            strbuf_addstr(&reader.path, "warm");
            result = json_reader_members(&reader, json_object_get(root, "warm"), read_warm, config);
        }
    } else {
        result = error_set(error, ERROR_CONFIG, "%s: must be an object", name);
    }
    strbuf_release(&reader.path);
    if (result == 0)
        keep_layer(config, name, root);
    else
        json_decref(root);
    return result;
}

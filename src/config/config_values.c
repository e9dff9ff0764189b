#include "config/config_values.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "config/config.h"
#include "config/prepare_rules.h"
#include "config/workdir.h"
#include "docker/image.h"

/* ---- the file itself */

int config_value_ignored(struct json_reader *reader, const json_t *value, void *object)
{
    CLEANUP_FREE char *unused = NULL;

    (void)object;
    return json_reader_string(reader, value, &unused);
}

int config_value_workdir(struct json_reader *reader, const json_t *value, void *object)
{
    char **workdir = object;
    CLEANUP_FREE char *path = NULL;

    if (json_reader_string(reader, value, &path) != 0)
        return -1;
    free(*workdir);
    *workdir = workdir_parse(path, reader->error);
    return json_reader_checked(reader, *workdir ? 0 : -1);
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

int config_value_path(struct json_reader *reader, const json_t *value, void *object)
{
    char **member = object;
    CLEANUP_FREE char *path = NULL;

    if (json_reader_string(reader, value, &path) != 0)
        return -1;
    free(*member);
    *member = beside_file(reader->file, path);
    return 0;
}

int config_value_users(struct json_reader *reader, const json_t *value, void *object)
{
    CLEANUP_FREE char *range = NULL;

    if (json_reader_string(reader, value, &range) != 0)
        return -1;
    return json_reader_checked(reader, sandbox_users_parse(object, range, reader->error));
}

int config_value_images(struct json_reader *reader, const json_t *value, void *object)
{
    struct strvec *images = object;
    CLEANUP(strvec_release) struct strvec list = STRVEC_INIT;

    if (json_reader_list(reader, value, &list) != 0)
        return -1;
    strvec_release(images);
    for (size_t i = 0; i < list.count; i++) {
        char *pattern = image_pattern_normalize(list.items[i], reader->error);

        if (!pattern)
            return json_reader_checked(reader, -1);
        strvec_push_owned(images, pattern);
    }
    return 0;
}

/* ---- limits */

int config_value_limit(struct json_reader *reader, const json_t *value, void *object)
{
    const enum limit_number which = limits_of_key(reader->rule);

    if (!json_is_number(value))
        return json_reader_wrong_type(reader, "a number");
    return json_reader_checked(
        reader, limits_set_number(object, which, json_number_value(value), reader->error));
}

/* Reads a string with one of the functions that set a member of a policy from text. */
static int read_policy_text(struct json_reader *reader, const json_t *value,
                            struct sandbox_policy *policy,
                            int (*set)(struct sandbox_policy *, const char *, struct error *))
{
    CLEANUP_FREE char *text = NULL;

    if (json_reader_string(reader, value, &text) != 0)
        return -1;
    return json_reader_checked(reader, set(policy, text, reader->error));
}

int config_value_network(struct json_reader *reader, const json_t *value, void *object)
{
    struct sandbox_policy *policy = object;

    network_rules_release(&policy->network_rules);
    return read_policy_text(reader, value, policy, sandbox_policy_set_network);
}

int config_value_oci_runtime(struct json_reader *reader, const json_t *value, void *object)
{
    return read_policy_text(reader, value, object, sandbox_policy_set_oci_runtime);
}

int config_value_read_only(struct json_reader *reader, const json_t *value, void *object)
{
    struct sandbox_policy *policy = object;
    bool read_only = false;

    if (json_reader_boolean(reader, value, &read_only) != 0)
        return -1;
    policy->read_only = read_only;
    return 0;
}

int config_value_cap_drop(struct json_reader *reader, const json_t *value, void *object)
{
    struct sandbox_policy *policy = object;
    CLEANUP(strvec_release) struct strvec list = STRVEC_INIT;
    int result = 0;

    if (json_reader_strings(reader, value, &list) != 0)
        return -1;
    strvec_release(&policy->cap_drop);
    for (size_t i = 0; i < list.count && result == 0; i++)
        result = sandbox_policy_add_cap_drop(policy, list.items[i], reader->error);
    return json_reader_checked(reader, result);
}

int config_value_user(struct json_reader *reader, const json_t *value, void *object)
{
    return read_policy_text(reader, value, object, sandbox_policy_set_user);
}

/* ---- preparations */

int config_value_steps_files(struct json_reader *reader, const json_t *value, void *object)
{
    struct strvec *files = object;
    CLEANUP(strvec_release) struct strvec paths = STRVEC_INIT;

    if (json_reader_list(reader, value, &paths) != 0)
        return -1;
    strvec_release(files);
    for (size_t i = 0; i < paths.count; i++) {
        char *path = beside_file(reader->file, paths.items[i]);

        for (size_t end = strlen(path); end > 1 && path[end - 1] == '/'; end--)
            path[end - 1] = '\0'; /* of a directory */
        strvec_push_owned(files, path);
    }
    return json_reader_checked(reader, prepare_check_files(files, reader->error));
}

/*
 * Shared by the unit tests of several layers: short forms for JSON values, and a configuration with
 * two languages.
 */
#ifndef JSON_H
#define JSON_H

#include "test.h"

#include <jansson.h>

#include "config/config_read.h"

/* The value of a JSON text, a new reference. */
static inline json_t *json_of(const char *text)
{
    json_error_t where;
    json_t *value = json_loads(text, JSON_DECODE_ANY | JSON_ALLOW_NUL, &where);

    if (!value)
        fail_msg("%s: '%s'", where.text, text);
    return value;
}

/* Checks the compact text of a value, which is borrowed. */
static inline void check_json(const json_t *value, const char *expected)
{
    CLEANUP_FREE char *text = json_dumps(value, JSON_COMPACT | JSON_ENCODE_ANY);

    assert_string_equal(text ? text : "(null)", expected);
}

/* Likewise, and takes ownership of the value. */
static inline void check_new_json(json_t *value, const char *expected)
{
    check_json(value, expected);
    json_decref(value);
}

/* The string at this path of member names, separated by dots; "(none)" if there is none. */
static inline const char *string_at(const json_t *value, const char *path)
{
    while (value && *path) {
        const size_t length = strcspn(path, ".");
        CLEANUP_FREE char *name = string_format("%.*s", (int)length, path);

        value = json_is_array(value) ? json_array_get(value, (size_t)atoi(name))
                                     : json_object_get(value, name);
        path += length + (path[length] == '.');
    }
    return json_is_string(value) ? json_string_value(value) : "(none)";
}

/*
 * Makes a configuration with the languages "py" and "sh" and merges `more` into it (NULL: nothing).
 */
static inline void set_up_config(struct config *config, const char *more)
{
    static const char text[] =
        "{\"containerCommand\": \"docker\", \"containerWorkdir\": \"/workspace\","
        " \"maxQueued\": 64, \"maxTextBytes\": 50000,"
        " \"maxArtifacts\": 1000, \"maxArtifactBytes\": 67108864,"
        " \"maxStoredBytes\": 268435456,"
        " \"defaults\": {\"timeoutSeconds\": 45, \"memoryMB\": 256, \"cpus\": 0.5, \"cpuSeconds\": "
        "0,"
        "  \"pidsLimit\": 64, \"workdirMB\": 64, \"tmpMB\": 64, \"outputBytes\": 1048576,"
        "  \"network\": \"none\", \"readOnly\": true, \"capDrop\": [\"ALL\"]},"
        " \"userRange\": \"1900000-1965535\","
        " \"languages\": {"
        "  \"py\": {\"image\": \"py:3\", \"command\": [\"python3\", \"{entrypoint}\"],"
        "   \"extensions\": [\".py\"], \"defaultFilename\": \"main.py\"},"
        "  \"sh\": {\"image\": \"sh:1\", \"command\": [\"sh\", \"{entrypoint}\"],"
        "   \"extensions\": [\".sh\"], \"defaultFilename\": \"main.sh\", \"memoryMB\": 512}}}";
    CLEANUP(error_release) struct error error = ERROR_INIT;

    config_init(config);
    assert_int_equal(config_overlay(config, text, sizeof text - 1, "test", &error), 0);
    if (more)
        config_overlay(config, more, strlen(more), "more", &error);
    assert_no_error(&error);
}

#endif

#include "sandbox/scope.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

int scope_wrong_type(struct scope *scope, const char *expected)
{
    return error_set(scope->error, ERROR_CONFIG, "%s: %s: must be %s", SCOPE_WHERE(scope),
                     expected);
}

int scope_wrong_value(struct scope *scope)
{
    scope->error->kind = ERROR_CONFIG;
    return error_prefix(scope->error, "%s: %s", SCOPE_WHERE(scope));
}

int scope_unknown_key(struct scope *scope, const char *const *known, size_t count)
{
    const char *path = strbuf_string(&scope->path);
    const char *dot = strrchr(path, '.');
    const char *nearest = text_nearest(dot ? dot + 1 : path, known, count);
    CLEANUP_FREE char *shown = text_escape(path);

    if (nearest)
        return error_set(scope->error, ERROR_CONFIG, "%s: %s: unknown key; did you mean '%s'?",
                         scope->file, shown, nearest);
    return error_set(scope->error, ERROR_CONFIG, "%s: %s: unknown key", scope->file, shown);
}

int scope_read_string(struct scope *scope, const json_t *value, char **string)
{
    const char *text = json_string_value(value);

    if (!text || *text == '\0' || strlen(text) != json_string_length(value))
        return scope_wrong_type(scope, "a string that is not empty");
    free(*string);
    *string = string_copy(text);
    return 0;
}

int scope_read_strings(struct scope *scope, const json_t *value, struct strvec *strings)
{
    size_t i;
    json_t *item;

    if (!json_is_array(value) || json_array_size(value) == 0)
        return scope_wrong_type(scope, "an array of strings that is not empty");
    strvec_release(strings);
    json_array_foreach(value, i, item)
    {
        CLEANUP_FREE char *string = NULL;

        if (scope_read_string(scope, item, &string) != 0)
            return -1;
        strvec_push_owned(strings, steal_pointer(&string));
    }
    return 0;
}

int scope_read_members(struct scope *scope, json_t *object,
                       int read(struct scope *, const char *, json_t *, void *), void *target)
{
    const size_t length = scope->path.length;
    const char *key;
    json_t *value;

    if (!json_is_object(object))
        return scope_wrong_type(scope, "an object");
    json_object_foreach(object, key, value)
    {
        strbuf_addf(&scope->path, "%s%s", length > 0 ? "." : "", key);
        if (read(scope, key, value, target) != 0)
            return -1;
        scope->path.length = length;
        scope->path.data[length] = '\0';
    }
    return 0;
}

int scope_read_boolean(struct scope *scope, const json_t *value, bool *boolean)
{
    if (!json_is_boolean(value))
        return scope_wrong_type(scope, "true or false");
    *boolean = json_is_true(value);
    return 0;
}

int scope_read_whole(struct scope *scope, const json_t *value, int least, int most, int *number)
{
    const json_int_t got = json_integer_value(value);

    if (!json_is_integer(value) || got < least || got > most) {
        CLEANUP_FREE char *expected = string_format("a whole number from %d to %d", least, most);
        return scope_wrong_type(scope, expected);
    }
    *number = (int)got;
    return 0;
}

#include "config/json_reader.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

int json_reader_wrong_type(struct json_reader *reader, const char *expected)
{
    return error_set(reader->error, ERROR_CONFIG, "%s: %s: must be %s", JSON_READER_WHERE(reader),
                     expected);
}

/* The message begins with the path of the key, so the subject need not be named again. */
static const char *name_again(const char *subject)
{
    (void)subject;
    return "it";
}

int json_reader_wrong_value(struct json_reader *reader)
{
    error_name_subject(reader->error, name_again);
    reader->error->kind = ERROR_CONFIG;
    return error_prefix(reader->error, "%s: %s", JSON_READER_WHERE(reader));
}

int json_reader_checked(struct json_reader *reader, int result)
{
    return result == 0 ? 0 : json_reader_wrong_value(reader);
}

int json_reader_unknown_key(struct json_reader *reader, const char *const *known, size_t count)
{
    const char *path = strbuf_string(&reader->path);
    const char *dot = strrchr(path, '.');
    const char *nearest = text_nearest(dot ? dot + 1 : path, known, count);
    CLEANUP_FREE char *shown = text_escape(path);

    if (nearest)
        return error_set(reader->error, ERROR_CONFIG, "%s: %s: unknown key; did you mean '%s'?",
                         reader->file, shown, nearest);
    return error_set(reader->error, ERROR_CONFIG, "%s: %s: unknown key", reader->file, shown);
}

int json_reader_string(struct json_reader *reader, const json_t *value, char **string)
{
    const char *text = json_string_value(value);

    if (!text || *text == '\0' || strlen(text) != json_string_length(value))
        return json_reader_wrong_type(reader, "a string that is not empty");
    free(*string);
    *string = string_copy(text);
    return 0;
}

int json_reader_strings(struct json_reader *reader, const json_t *value, struct strvec *strings)
{
    size_t i;
    json_t *item;

    if (!json_is_array(value) || json_array_size(value) == 0)
        return json_reader_wrong_type(reader, "an array of strings that is not empty");
    strvec_release(strings);
    json_array_foreach(value, i, item) {
        CLEANUP_FREE char *string = NULL;

        if (json_reader_string(reader, item, &string) != 0)
            return -1;
        strvec_push_owned(strings, steal_pointer(&string));
    }
    return 0;
}

int json_reader_list(struct json_reader *reader, const json_t *value, struct strvec *strings)
{
    if (!json_is_array(value) || json_array_size(value) > 0)
        return json_reader_strings(reader, value, strings);
    strvec_release(strings);
    return 0;
}

int json_reader_members(struct json_reader *reader, const json_t *object,
                        int read(struct json_reader *, const char *, const json_t *, void *),
                        void *target)
{
    const size_t length = reader->path.length;
    const char *key;
    json_t *value;

    if (!json_is_object(object))
        return json_reader_wrong_type(reader, "an object");
    json_object_foreach((json_t *)object, key, value) {
        strbuf_addf(&reader->path, "%s%s", length > 0 ? "." : "", key);
        if (read(reader, key, value, target) != 0)
            return -1;
        reader->path.length = length;
        reader->path.data[length] = '\0';
    }
    return 0;
}

int json_reader_boolean(struct json_reader *reader, const json_t *value, bool *boolean)
{
    if (!json_is_boolean(value))
        return json_reader_wrong_type(reader, "true or false");
    *boolean = json_is_true(value);
    return 0;
}

int json_reader_whole(struct json_reader *reader, const json_t *value, int minimum, int maximum,
                      int *number)
{
    const json_int_t got = json_integer_value(value);

    if (!json_is_integer(value) || got < minimum || got > maximum) {
        CLEANUP_FREE char *expected =
            string_format("a whole number from %d to %d", minimum, maximum);
        return json_reader_wrong_type(reader, expected);
    }
    *number = (int)got;
    return 0;
}

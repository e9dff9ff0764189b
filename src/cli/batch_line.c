#include "cli/batch_line.h"

#include "base/cleanup.h"
#include "base/json_text.h"
#include "base/text.h"

static int explain(json_error_t *where, struct error *error)
{
    CLEANUP_FREE char *escaped = text_escape(where->text);

    if (json_error_code(where) == json_error_duplicate_key)
        return error_set(error, ERROR_USAGE, "an object has a member twice; column %d: %s",
                         where->column, escaped);
    return error_set(error, ERROR_USAGE, "a line must be a JSON object in UTF-8; column %d: %s",
                     where->column, escaped);
}

int batch_line_parse(const char *text, size_t length, json_t **arguments, json_t **id,
                     struct error *error)
{
    json_error_t where;
    json_t *object, *found;

    if (json_text_count(text, length) > JSON_TEXT_VALUES_MAX)
        return error_set(error, ERROR_USAGE, "a line cannot have more than %d values",
                         JSON_TEXT_VALUES_MAX);
    object = json_text_parse_unique(text, length, &where);
    if (!object)
        return explain(&where, error);
    if (!json_is_object(object)) {
        json_decref(object);
        return error_set(error, ERROR_USAGE, "a line must be a JSON object in UTF-8");
    }
    found = json_object_get(object, "id");
    *id = json_is_null(found) ? NULL : json_incref(found);
    json_object_del(object, "id");
    *arguments = object;
    return 0;
}

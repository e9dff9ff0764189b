#include "cli/batch/batch_line.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/json_text.h"
#include "base/text.h"

/* What may have been meant by a line that is not a JSON object. */
static const char *hint_of(const char *text, size_t length)
{
    size_t at = 0;

    while (at < length && (text[at] == ' ' || text[at] == '\t'))
        at++;
    if (at < length && text[at] == '[')
        return "one object a line: jq -c '.[]' makes that of an array";
    while (length > at && strchr(" \t\r", text[length - 1]))
        length--;
    if (length == at + 1 && text[at] == '{')
        return "one object a line: jq -c . writes it on one line";
    return json_text_hint(text, length);
}

static int explain(const char *text, size_t length, json_error_t *where, struct error *error)
{
    const char *hint = hint_of(text, length);
    CLEANUP_FREE char *escaped = text_escape(where->text);

    if (json_error_code(where) == json_error_duplicate_key)
        return error_set(error, ERROR_USAGE, "an object has a member twice; column %d: %s",
                         where->column, escaped);
    error_set(error, ERROR_USAGE, "a line must be a JSON object in UTF-8; column %d: %s",
              where->column, escaped);
    return hint ? error_hint(error, hint) : -1;
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
        return explain(text, length, &where, error);
    if (!json_is_object(object)) {
        const char *hint = hint_of(text, length);

        json_decref(object);
        error_set(error, ERROR_USAGE, "a line must be a JSON object in UTF-8");
        return hint ? error_hint(error, hint) : -1;
    }
    found = json_object_get(object, "id");
    *id = json_is_null(found) ? NULL : json_incref(found);
    json_object_del(object, "id");
    *arguments = object;
    return 0;
}

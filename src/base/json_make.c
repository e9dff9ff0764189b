#include "base/json_make.h"

#include <string.h>

#include "base/base64.h"
#include "base/cleanup.h"
#include "base/text.h"

json_t *json_make_text(const char *text)
{
    return text ? json_string(text) : json_null();
}

json_t *json_make_any_text(const char *text)
{
    if (!text || text_is_utf8(text))
        return json_make_text(text);
    CLEANUP_FREE char *base64 = base64_encode(text, strlen(text));

    return json_pack("{s:s}", "base64", base64);
}

char *json_read_any_text(const json_t *value)
{
    const json_t *base64 = json_object_get(value, "base64");
    CLEANUP_FREE char *text = NULL;
    size_t length = 0;

    if (json_is_string(value)) {
        length = json_string_length(value);
        text = string_copy(json_string_value(value));
    } else if (json_is_string(base64)) {
        text = base64_decode(json_string_value(base64), json_string_length(base64), &length);
    }
    return text && strlen(text) == length ? steal_pointer(&text) : NULL;
}

json_t *json_make_list(const struct strvec *list)
{
    json_t *array = json_array();

    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(array, json_make_any_text(list->items[i]));
    return array;
}

bool json_read_list(const json_t *array, struct strvec *list)
{
    size_t i;
    json_t *item;

    json_array_foreach(array, i, item) {
        char *text = json_read_any_text(item);

        if (!text)
            return false;
        strvec_push_owned(list, text);
    }
    return json_is_array(array);
}

json_t *json_make_count(long long count)
{
    return count < 0 ? json_null() : json_integer(count);
}

json_t *json_make_taken(struct strbuf *text)
{
    json_t *string = json_stringn_nocheck(strbuf_string(text), text->length);

    strbuf_release(text);
    return string;
}

#include "base/json_make.h"

json_t *json_make_text(const char *text)
{
    return text ? json_string(text) : json_null();
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

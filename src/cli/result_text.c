#include "cli/result_text.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "cli/safe_json.h"

/* Bytes of the tests that are written at a time, or a little more. */
enum { WRITE_AT = 65536 };

static bool write_all(struct strbuf *text, result_text_writer *write, void *context)
{
    const bool good = write(context, text->data, text->length);

    text->length = 0;
    return good;
}

/* Adds the tests as the last member of the object whose end is missing. Writes in pieces. */
static bool write_tests(struct strbuf *text, struct case_results *tests, size_t flags,
                        result_text_writer *write, void *context)
{
    const char *space = flags & JSON_COMPACT ? "" : " ";

    strbuf_addf(text, ",%s\"tests\":%s[", space, space);
    for (size_t i = 0; i < tests->count; i++) {
        json_t *test = case_result_to_json(&tests->items[i]);

        if (i > 0)
            strbuf_addf(text, ",%s", space);
        safe_json_dump(test, flags, safe_json_add, text);
        json_decref(test);
        if (text->length >= WRITE_AT && !write_all(text, write, context))
            return false;
    }
    strbuf_addstr(text, "]}");
    return true;
}

bool result_text_write(json_t *object, struct result *result, size_t flags,
                       result_text_writer *write, void *context)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    json_t *members = result_to_json(result);

    json_object_update(object, members);
    json_decref(members);
    safe_json_dump(object, flags, safe_json_add, &text);
    json_decref(object);
    if (result->tests.count > 0) {
        text.length--; /* the closing brace */
        if (!write_tests(&text, &result->tests, flags, write, context))
            return false;
    }
    strbuf_addch(&text, '\n');
    return write_all(&text, write, context);
}

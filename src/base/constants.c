#include "base/constants.h"

#include <string.h>

/* The value of a constant; NULL: there is none of this name. */
static const char *find(const struct strvec *constants, const char *name, size_t length)
{
    for (size_t i = 0; i + 1 < constants->count; i += 2)
        if (strlen(constants->items[i]) == length && memcmp(constants->items[i], name, length) == 0)
            return constants->items[i + 1];
    return NULL;
}

/* The value of the constant whose braces the text begins with; NULL: it does not. */
static const char *value_at(const struct strvec *constants, const char *text, size_t length,
                            size_t *taken)
{
    const char *end;

    if (length < 5 || text[0] != '{' || text[1] != '{')
        return NULL;
    end = memchr(text + 2, '}', length - 3);
    if (!end || end[1] != '}')
        return NULL;
    *taken = (size_t)(end - text) + 2;
    return find(constants, text + 2, *taken - 4);
}

bool constants_replace(const struct strvec *constants, const char *text, size_t length,
                       struct strbuf *replaced)
{
    size_t begun = 0, taken = 0;
    bool found = false;

    for (size_t at = 0; at < length && constants->count > 0;) {
        const char *value = value_at(constants, text + at, length - at, &taken);

        if (!value) {
            at++;
            continue;
        }
        strbuf_add(replaced, text + begun, at - begun);
        strbuf_addstr(replaced, value);
        begun = at += taken;
        found = true;
    }
    strbuf_add(replaced, text + begun, length - begun);
    return found;
}

#include "docker/dockerfile.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"

void dockerfile_add_words(struct strvec *lines, const char *instruction, const struct strvec *words)
{
    json_t *array = json_array();
    CLEANUP_FREE char *text = NULL;

    for (size_t i = 0; i < words->count; i++) {
        CLEANUP(strbuf_release) struct strbuf clean = STRBUF_INIT;

        text_add_utf8(&clean, words->items[i], strlen(words->items[i]));
        json_array_append_new(array, json_string(strbuf_string(&clean)));
    }
    text = json_dumps(array, 0);
    json_decref(array);
    if (!text)
        abort();
    strvec_pushf(lines, "%s %s", instruction, text);
}

void dockerfile_add_environment(struct strvec *lines, const char *assignment)
{
    const size_t name = strcspn(assignment, "=");
    struct strbuf line = STRBUF_INIT;

    strbuf_addf(&line, "ENV %.*s=\"", (int)name, assignment);
    for (const char *at = assignment + name + 1; *at; at++) {
        if (strchr("\\\"$", *at))
            strbuf_addch(&line, '\\');
        strbuf_addch(&line, *at);
    }
    strbuf_addch(&line, '"');
    strvec_push_owned(lines, strbuf_steal(&line));
}

/*
 * Returns a path, owned, with escapes for the characters that the parser treats as special: \, $
 * and quotes, and if it is a pattern (a source) also *, ? and [.
 */
static char *copy_path(const char *path, bool pattern)
{
    struct strbuf out = STRBUF_INIT;

    for (; *path; path++) {
        if (pattern && strchr("*?[", *path))
            strbuf_addf(&out, "[%c]", *path);
        else if (pattern && *path == '\\')
            strbuf_addstr(&out, "\\\\\\\\"); /* escaped for the pattern, and again for the parser */
        else if (strchr("\\$\"'", *path))
            strbuf_addf(&out, "\\%c", *path);
        else
            strbuf_addch(&out, *path);
    }
    return strbuf_steal(&out);
}

void dockerfile_add_copy(struct strvec *lines, unsigned uid, unsigned gid, const char *source,
                         const char *target)
{
    CLEANUP_FREE char *instruction = string_format("COPY --chown=%u:%u", uid, gid);
    CLEANUP(strvec_release) struct strvec paths = STRVEC_INIT;

    strvec_push_owned(&paths, copy_path(source, true));
    strvec_push_owned(&paths, copy_path(target, false));
    dockerfile_add_words(lines, instruction, &paths);
}

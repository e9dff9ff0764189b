#include "mcp/json_edit.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_text.h"

struct edit {
    const char *text;
    size_t length;
    const char *line_end; /* a literal */
    const char *unit;     /* the indentation of a member in that of its object */
    struct strbuf *out;
};

const char *json_edit_line_end(const char *text, size_t length)
{
    const char *feed = length > 0 ? memchr(text, '\n', length) : NULL;

    return feed && feed > text && feed[-1] == '\r' ? "\r\n" : "\n";
}

/* ---- indentation */

/* The blanks that the line of this offset begins with, owned. *first: nothing else is before it. */
static char *indentation_at(const struct edit *edit, size_t at, bool *first)
{
    size_t start = at, end;

    while (start > 0 && edit->text[start - 1] != '\n')
        start--;
    for (end = start; end < at && (edit->text[end] == ' ' || edit->text[end] == '\t');)
        end++;
    *first = end == at;
    return string_format("%.*s", (int)(end - start), edit->text + start);
}

/* As the last member of the root has it, or else two spaces. */
static char *find_unit(const struct edit *edit, const struct json_object_place *root)
{
    bool first = false;
    CLEANUP_FREE char *unit =
        root->last_end > 0 ? indentation_at(edit, root->last_key, &first) : NULL;

    return first && *unit ? steal_pointer(&unit) : string_copy("  ");
}

/* ---- values */

static char *dump(const json_t *value, size_t layout)
{
    /* with the digits of each number, which may be a person's */
    return json_dumps(value, layout | JSON_ENCODE_ANY | (json_text_flags(value) & ~JSON_COMPACT));
}

/* Adds the value in several lines, of which all but the first begin with this indentation. */
static void add_lines(const struct edit *edit, const json_t *value, const char *indentation)
{
    CLEANUP_FREE char *text = dump(value, JSON_INDENT(1)); /* a line feed is never in a string */

    for (const char *at = text; *at; at++) {
        if (*at != '\n') {
            strbuf_addch(edit->out, *at);
            continue;
        }
        strbuf_addstr(edit->out, edit->line_end);
        strbuf_addstr(edit->out, indentation);
        for (; at[1] == ' '; at++)
            strbuf_addstr(edit->out, edit->unit);
    }
}

static void add_one_line(const struct edit *edit, const json_t *value)
{
    CLEANUP_FREE char *text = dump(value, 0);

    strbuf_addstr(edit->out, text);
}

static void copy(const struct edit *edit, size_t from, size_t to)
{
    strbuf_add(edit->out, edit->text + from, to - from);
}

static bool has_line_feed(const struct edit *edit, size_t from, size_t to)
{
    return memchr(edit->text + from, '\n', to - from) != NULL;
}

/* ---- the two ways to set it */

/* In a line of its own, which ends before the closing brace. */
static void insert_line(const struct edit *edit, const struct json_object_place *object,
                        const char *indentation, const char *name, const json_t *value)
{
    bool first;
    CLEANUP_FREE char *outer = indentation_at(edit, object->start, &first);
    CLEANUP_FREE char *own =
        indentation ? string_copy(indentation) : string_format("%s%s", outer, edit->unit);

    strbuf_addf(edit->out, "%s%s\"%s\": ", edit->line_end, own, name);
    add_lines(edit, value, own);
    if (object->last_end == 0 && !has_line_feed(edit, object->tail, object->end))
        strbuf_addf(edit->out, "%s%s", edit->line_end, outer);
}

/* Adds the text with one more member of this object. */
static void insert(const struct edit *edit, const struct json_object_place *object,
                   const char *name, const json_t *value)
{
    const bool empty = object->last_end == 0;
    bool own_line = false;
    CLEANUP_FREE char *indentation =
        empty ? NULL : indentation_at(edit, object->last_key, &own_line);

    copy(edit, 0, empty ? object->tail : object->last_end);
    if (!empty) {
        if (!object->comma)
            strbuf_addch(edit->out, ',');
        copy(edit, object->last_end, object->tail);
    }
    if (own_line || empty || has_line_feed(edit, object->last_end, object->end)) {
        insert_line(edit, object, own_line ? indentation : NULL, name, value);
    } else {
        strbuf_addf(edit->out, " \"%s\": ", name);
        add_one_line(edit, value);
    }
    copy(edit, object->tail, edit->length);
}

static void replace(const struct edit *edit, const struct json_places *places, const json_t *value)
{
    bool first;
    CLEANUP_FREE char *indentation = indentation_at(edit, places->key, &first);

    copy(edit, 0, places->value);
    if (first)
        add_lines(edit, value, indentation);
    else
        add_one_line(edit, value);
    copy(edit, places->value_end, edit->length);
}

void json_edit(const char *text, size_t length, const struct json_places *places,
               const char *servers, const char *name, json_t *entry, struct strbuf *edited)
{
    struct edit edit = {.text = text,
                        .length = length,
                        .line_end = json_edit_line_end(text, length),
                        .out = edited};
    CLEANUP_FREE char *unit = find_unit(&edit, &places->root);
    json_t *object = json_pack("{sO}", name, entry);

    edit.unit = unit;
    if (places->found)
        replace(&edit, places, entry);
    else if (places->servers.found)
        insert(&edit, &places->servers, name, entry);
    else
        insert(&edit, &places->root, servers, object);
    json_decref(object);
}

#include "mcp/host_format.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "base/text.h"

/* ---- what TOML and YAML have in common */

static void add_string(struct strbuf *out, const char *text)
{
    size_t left = strlen(text);

    strbuf_addch(out, '"');
    while (left > 0) {
        unsigned long code_point;
        const size_t length = utf8_read(text, left, &code_point); /* jansson has valid UTF-8 only */

        if (code_point == '"' || code_point == '\\')
            strbuf_addf(out, "\\%c", (int)code_point);
        else if (text_is_invisible(code_point))
            strbuf_addf(out, code_point > 0xffff ? "\\U%08lx" : "\\u%04lx", code_point);
        else
            strbuf_add(out, text, length);
        text += length;
        left -= length;
    }
    strbuf_addch(out, '"');
}

/* Adds what is neither an object nor an array. */
static void add_scalar(struct strbuf *out, const json_t *value)
{
    if (json_is_string(value))
        add_string(out, json_string_value(value));
    else if (json_is_boolean(value))
        strbuf_addstr(out, json_is_true(value) ? "true" : "false");
    else
        strbuf_addf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
}

/* ---- TOML */

static void add_toml_value(struct strbuf *out, const json_t *value)
{
    size_t i;
    json_t *item;

    if (!json_is_array(value)) {
        add_scalar(out, value);
        return;
    }
    strbuf_addch(out, '[');
    json_array_foreach(value, i, item) {
        strbuf_addstr(out, i > 0 ? ", " : "");
        add_scalar(out, item);
    }
    strbuf_addch(out, ']');
}

/* Adds the table of this name, and after it those below. One with nothing but tables has no line.
 */
static void add_toml_table(struct strbuf *out, const char *name, json_t *table)
{
    bool begun = false;
    const char *key;
    json_t *value;

    json_object_foreach(table, key, value) {
        if (json_is_object(value))
            continue;
        if (!begun && *name)
            strbuf_addf(out, "%s[%s]\n", out->length > 0 ? "\n" : "", name);
        begun = true;
        strbuf_addf(out, "%s = ", key);
        add_toml_value(out, value);
        strbuf_addch(out, '\n');
    }
    json_object_foreach(table, key, value) {
        CLEANUP_FREE char *below = string_format("%s%s%s", name, *name ? "." : "", key);

        if (json_is_object(value))
            add_toml_table(out, below, value);
    }
}

/* ---- YAML */

static void add_yaml(struct strbuf *out, json_t *value, int indent);

/* Adds the value of a key: on its line, or as a block below it. */
static void add_yaml_value(struct strbuf *out, json_t *value, int indent)
{
    if (json_is_array(value) && json_array_size(value) == 0) {
        strbuf_addstr(out, " []\n");
    } else if (json_is_array(value) || json_is_object(value)) {
        strbuf_addch(out, '\n');
        add_yaml(out, value, indent + 2);
    } else {
        strbuf_addch(out, ' ');
        add_scalar(out, value);
        strbuf_addch(out, '\n');
    }
}

static void add_yaml_object(struct strbuf *out, json_t *object, int indent)
{
    int column = 0; /* of the first key, which follows the "- " of an array */
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value) {
        strbuf_addf(out, "%*s%s:", column, "", key);
        add_yaml_value(out, value, indent);
        column = indent;
    }
}

/* Adds a block of lines, each of which begins in this column. */
static void add_yaml(struct strbuf *out, json_t *value, int indent)
{
    size_t i;
    json_t *item;

    if (json_is_object(value)) {
        strbuf_addf(out, "%*s", indent, "");
        add_yaml_object(out, value, indent);
        return;
    }
    json_array_foreach(value, i, item) {
        strbuf_addf(out, "%*s- ", indent, "");
        if (json_is_object(item)) {
            add_yaml_object(out, item, indent + 2);
        } else {
            add_scalar(out, item);
            strbuf_addch(out, '\n');
        }
    }
}

char *host_format(json_t *object, enum host_format format)
{
    struct strbuf out = STRBUF_INIT;
    char *json;

    if (format == HOST_TOML) {
        add_toml_table(&out, "", object);
    } else if (format == HOST_YAML) {
        add_yaml(&out, object, 0);
    } else {
        json = json_dumps(object, JSON_INDENT(2));
        strbuf_addf(&out, "%s\n", json);
        free(json);
    }
    return strbuf_steal(&out);
}

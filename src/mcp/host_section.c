#include "mcp/host_section.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/strvec.h"
#include "mcp/json_edit.h"
#include "mcp/json_places.h"

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* The lines of the text without their ends. */
static void split(const char *text, struct strvec *lines)
{
    for (const char *at = text + json_places_mark(text, strlen(text)); *at;) {
        const size_t length = strcspn(at, "\n");
        const bool feed = at[length] == '\n';

        strvec_pushf(lines, "%.*s",
                     (int)(length > 0 && at[length - 1] == '\r' ? length - 1 : length), at);
        at += length + feed;
    }
}

/* Whether all lines of the section follow each other in the text. */
static bool has_lines(const struct strvec *lines, const struct strvec *section, size_t first)
{
    const size_t count = section->count - first;

    for (size_t i = 0; i + count <= lines->count; i++) {
        size_t same = 0;

        while (same < count && strcmp(lines->items[i + same], section->items[first + same]) == 0)
            same++;
        if (same == count)
            return true;
    }
    return false;
}

/* ---- TOML 1.0 */

/* What the line says before its value, if it has one: a key or the header of a table. Owned. */
static char *toml_name(const char *line)
{
    return string_format("%.*s", (int)(*line == '[' ? strlen(line) : strcspn(line, "=")), line);
}

/* "[mcp_servers]" or "[mcp_servers.other]", which may be followed by "[mcp_servers.isolator]". */
static bool is_other_table(const char *header, const char *key, const char *name)
{
    if (*header != '[')
        return false;
    header += 1 + strspn(header + 1, " \t");
    if (!starts_with(header, key))
        return false;
    header += strlen(key);
    header += strspn(header, " \t");
    return (*header == '.' || *header == ']') && !strstr(header, key) && !strstr(header, name);
}

/* Every line is looked at as if it were outside of arrays and strings that have several. */
static int check_toml(const struct strvec *lines, const char *key, const char *name,
                      struct error *error)
{
    for (size_t i = 0; i < lines->count; i++) {
        const char *line = lines->items[i] + strspn(lines->items[i], " \t");
        CLEANUP_FREE char *said = toml_name(line);

        if (*line == '#')
            continue;
        if (strstr(said, key) && !is_other_table(said, key, name))
            return error_set(error, ERROR_CONFIG, "line %zu: '%s' is there in a form of its own",
                             i + 1, key);
        if (starts_with(said + strspn(said, "\"'"), name))
            return error_set(error, ERROR_CONFIG, "line %zu: '%s' is there already", i + 1, name);
        if (strchr(said, '\\'))
            return error_set(error, ERROR_CONFIG, "line %zu: a name with a backslash", i + 1);
    }
    return 0;
}

/* ---- YAML 1.2 */

/* "key:" at the start of the line, in letters, digits and what needs no quotes. */
static bool is_yaml_key(const char *line)
{
    const size_t length = strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789_.-");

    return length > 0 && *line != '-' && *line != '.' && line[length] == ':' &&
           (line[length + 1] == ' ' || line[length + 1] == '\0');
}

/* Without a line feed at the end, one more could change the value of the last line. */
static int check_yaml(const char *text, const struct strvec *lines, const char *key,
                      struct error *error)
{
    bool begun = false;

    for (size_t i = 0; i < lines->count; i++) {
        const char *line = lines->items[i];

        if (line[strspn(line, " ")] == '\0' || *line == '#')
            continue;
        if (starts_with(line, key) && line[strlen(key)] == ':')
            return error_set(error, ERROR_CONFIG, "line %zu: '%s' is there already", i + 1, key);
        if (!is_yaml_key(line) && !(begun && (*line == ' ' || starts_with(line, "- "))))
            return error_set(error, ERROR_CONFIG, "line %zu: not the key of a block mapping",
                             i + 1);
        begun = true;
    }
    if (text[strlen(text) - 1] != '\n')
        return error_set(error, ERROR_CONFIG, "line %zu: it does not end with a line feed",
                         lines->count);
    return 0;
}

/* ---- the end of the file */

/* In YAML, an empty line could become part of the text before it. */
static void append(enum host_format format, const char *text, const struct strvec *section,
                   struct strbuf *edited)
{
    const size_t length = strlen(text);
    const char *end = json_edit_line_end(text, length);

    strbuf_addstr(edited, text);
    if (format == HOST_TOML)
        strbuf_addf(edited, "%s%s", text[length - 1] == '\n' ? "" : end, end);
    for (size_t i = 0; i < section->count; i++)
        strbuf_addf(edited, "%s%s", section->items[i], end);
}

int host_section_add(enum host_format format, const char *key, const char *name,
                     const char *section, const char *text, struct strbuf *edited,
                     struct error *error)
{
    CLEANUP(strvec_release) struct strvec lines = STRVEC_INIT;
    CLEANUP(strvec_release) struct strvec added = STRVEC_INIT;

    split(text, &lines);
    split(section, &added);
    /* In YAML, the mapping of the first line may be there before, with other members. */
    if (has_lines(&lines, &added, format == HOST_YAML ? 1 : 0))
        return 0;
    if ((format == HOST_TOML ? check_toml(&lines, key, name, error)
                             : check_yaml(text, &lines, key, error)) != 0)
        return -1;
    append(format, text, &added, edited);
    return 0;
}

#include "mcp/json_places.h"

#include <jansson.h>
#include <string.h>

#include "base/text.h"

/* What a value is to the search. */
enum level { LEVEL_ROOT, LEVEL_SERVERS, LEVEL_MEMBER, LEVEL_OTHER };

struct scan {
    const char *text;
    size_t length, at;
    const char *names[2]; /* of the level below LEVEL_ROOT and LEVEL_SERVERS */
    struct json_places *places;
    struct error *error;
};

static int scan_value(struct scan *scan, int depth, enum level level);

/* ---- errors and single bytes */

static int fail_at(struct scan *scan, size_t at, const char *why)
{
    size_t line = 1;

    for (size_t i = 0; i < at; i++)
        line += scan->text[i] == '\n';
    return error_set(scan->error, ERROR_CONFIG, "line %zu: %s", line, why);
}

static int fail(struct scan *scan, const char *why)
{
    return fail_at(scan, scan->at, why);
}

/* The next byte; 0 at the end, and for a NUL, which is nowhere allowed. */
static char next(const struct scan *scan)
{
    if (scan->at == scan->length)
        return '\0';
    return scan->text[scan->at];
}

static bool next_are(const struct scan *scan, const char *bytes)
{
    const size_t length = strlen(bytes);

    return scan->length - scan->at >= length && memcmp(scan->text + scan->at, bytes, length) == 0;
}

/* ---- what is between tokens */

/* Readers differ in whether a carriage return alone ends it, so it is refused. */
static int skip_line_comment(struct scan *scan)
{
    while (scan->at < scan->length && next(scan) != '\n' && !next_are(scan, "\r\n")) {
        if (next(scan) == '\r')
            return fail(scan, "a carriage return in a comment");
        scan->at++;
    }
    return 0;
}

static int skip_block_comment(struct scan *scan)
{
    const size_t start = scan->at;

    for (scan->at += 2; scan->at < scan->length; scan->at++) {
        if (next_are(scan, "*/")) {
            scan->at += 2;
            return 0;
        }
    }
    return fail_at(scan, start, "a comment without an end");
}

/* Sets *tail to the end of the last comment, or to where it began. */
static int skip_blanks(struct scan *scan, size_t *tail)
{
    *tail = scan->at;
    for (;;) {
        while (next(scan) != '\0' && strchr(" \t\r\n", next(scan)))
            scan->at++;
        if (!next_are(scan, "//") && !next_are(scan, "/*"))
            return 0;
        if ((next_are(scan, "//") ? skip_line_comment(scan) : skip_block_comment(scan)) != 0)
            return -1;
        *tail = scan->at;
    }
}

/* ---- values without members */

/* After the backslash. */
static int scan_escape(struct scan *scan)
{
    const bool code = next(scan) == 'u';
    bool known = next(scan) != '\0' && strchr("\"\\/bfnrtu", next(scan));

    scan->at += known;
    for (int i = 0; known && code && i < 4; i++) {
        known = text_hex_digit(next(scan)) >= 0;
        scan->at += known;
    }
    return known ? 0 : fail(scan, "an unknown escape sequence in a string");
}

static int scan_string(struct scan *scan)
{
    scan->at++;
    while (next(scan) != '"') {
        if ((unsigned char)next(scan) < ' ')
            return fail(scan, "a string without an end in its line");
        if (scan->text[scan->at++] == '\\' && scan_escape(scan) != 0)
            return -1;
    }
    scan->at++;
    return 0;
}

static size_t skip_digits(struct scan *scan)
{
    const size_t start = scan->at;

    while (next(scan) >= '0' && next(scan) <= '9')
        scan->at++;
    return scan->at - start;
}

static int scan_number(struct scan *scan)
{
    bool valid;

    scan->at += next(scan) == '-';
    if (next(scan) == '0') {
        scan->at++;
        valid = true;
    } else {
        valid = skip_digits(scan) > 0;
    }
    if (valid && next(scan) == '.') {
        scan->at++;
        valid = skip_digits(scan) > 0;
    }
    if (valid && (next(scan) == 'e' || next(scan) == 'E')) {
        scan->at++;
        scan->at += next(scan) == '+' || next(scan) == '-';
        valid = skip_digits(scan) > 0;
    }
    return valid ? 0 : fail(scan, "a value is missing or not JSON");
}

static int scan_word(struct scan *scan)
{
    static const char *const words[] = {"true", "false", "null"};

    for (int i = 0; i < 3; i++) {
        if (next_are(scan, words[i])) {
            scan->at += strlen(words[i]);
            return 0;
        }
    }
    return scan_number(scan);
}

/* ---- objects and arrays */

/* Whether the string at these offsets is this name, however it is escaped. */
static bool is_name(const struct scan *scan, size_t start, size_t end, const char *name)
{
    json_t *string = json_loadb(scan->text + start, end - start, JSON_DECODE_ANY, NULL);
    const bool same = string && strcmp(json_string_value(string), name) == 0;

    json_decref(string);
    return same;
}

/* The level of the member whose key is at these offsets. */
static enum level level_below(const struct scan *scan, enum level level, size_t start, size_t end)
{
    return level < LEVEL_MEMBER && is_name(scan, start, end, scan->names[level]) ? level + 1
                                                                                 : LEVEL_OTHER;
}

/* Notes where the member's key and value are, which end here. -1 if it was there already. */
static int note_member(struct scan *scan, enum level level, size_t key, size_t value)
{
    struct json_places *places = scan->places;

    if (level != LEVEL_MEMBER)
        return 0;
    if (places->found)
        return fail_at(scan, key, "a member of this name was there before");
    places->found = true;
    places->key = key;
    places->value = value;
    places->value_end = scan->at;
    return 0;
}

static int scan_member(struct scan *scan, int depth, enum level level,
                       struct json_object_place *place)
{
    const size_t key = scan->at;
    enum level below;
    size_t value, tail;

    if (next(scan) != '"')
        return fail(scan, "the name of a member, in double quotes, or a closing brace is missing");
    if (scan_string(scan) != 0)
        return -1;
    below = level_below(scan, level, key, scan->at);
    if (below == LEVEL_SERVERS && scan->places->servers.found)
        return fail_at(scan, key, "a member of this name was there before");
    if (skip_blanks(scan, &tail) != 0)
        return -1;
    if (next(scan) != ':')
        return fail(scan, "a colon is missing");
    scan->at++;
    if (skip_blanks(scan, &tail) != 0)
        return -1;
    value = scan->at;
    if (scan_value(scan, depth + 1, below) != 0 || note_member(scan, below, key, value) != 0)
        return -1;
    place->last_key = key;
    place->last_end = scan->at;
    return 0;
}

/* Skips a comma if there is one. -1 if there is neither that nor the bracket that closes. */
static int scan_comma(struct scan *scan, char closing, size_t *tail, bool *comma)
{
    if (skip_blanks(scan, tail) != 0)
        return -1;
    *comma = next(scan) == ',';
    if (!*comma)
        return next(scan) == closing ? 0 : fail(scan, "a comma or a closing bracket is missing");
    scan->at++;
    return skip_blanks(scan, tail);
}

static int scan_object(struct scan *scan, int depth, enum level level)
{
    struct json_object_place place = {.found = true, .start = scan->at};

    scan->at++;
    if (skip_blanks(scan, &place.tail) != 0)
        return -1;
    while (next(scan) != '}')
        if (scan_member(scan, depth, level, &place) != 0 ||
            scan_comma(scan, '}', &place.tail, &place.comma) != 0)
            return -1;
    scan->at++;
    place.end = scan->at;
    if (level == LEVEL_ROOT)
        scan->places->root = place;
    else if (level == LEVEL_SERVERS)
        scan->places->servers = place;
    return 0;
}

static int scan_array(struct scan *scan, int depth)
{
    size_t tail;
    bool comma;

    scan->at++;
    if (skip_blanks(scan, &tail) != 0)
        return -1;
    while (next(scan) != ']')
        if (scan_value(scan, depth + 1, LEVEL_OTHER) != 0 ||
            scan_comma(scan, ']', &tail, &comma) != 0)
            return -1;
    scan->at++;
    return 0;
}

/* The recursion ends at JSON_PLACES_DEPTH_MAX. */
static int scan_value(struct scan *scan, int depth, enum level level)
{
    if (depth > JSON_PLACES_DEPTH_MAX)
        return fail(scan, "nested too deeply");
    if (level < LEVEL_MEMBER && next(scan) != '{')
        return fail(scan, "an object is missing: { ... }");
    switch (next(scan)) {
    case '{':
        return scan_object(scan, depth, level);
    case '[':
        return scan_array(scan, depth);
    case '"':
        return scan_string(scan);
    default:
        return scan_word(scan);
    }
}

size_t json_places_mark(const char *text, size_t length)
{
    return length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

int json_places_find(const char *text, size_t length, const char *servers, const char *name,
                     struct json_places *places, struct error *error)
{
    struct scan scan = {.text = text,
                        .length = length,
                        .at = json_places_mark(text, length),
                        .names = {servers, name},
                        .places = places,
                        .error = error};
    size_t tail;

    *places = (struct json_places){.found = false};
    if (skip_blanks(&scan, &tail) != 0 || scan_value(&scan, 1, LEVEL_ROOT) != 0 ||
        skip_blanks(&scan, &tail) != 0)
        return -1;
    return scan.at == length ? 0 : fail(&scan, "something follows the closing brace");
}

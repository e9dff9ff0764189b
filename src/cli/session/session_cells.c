#include "cli/session/session_cells.h"

#include <string.h>

#include "base/text.h"

/* Where in a text a character stands. Comments are not known, since each language has its own. */
struct scan {
    int depth;   /* of brackets */
    char quote;  /* that begins the string which the text ends in; '\0': none */
    bool triple; /* the quote is written three times, as in Python */
    char last;   /* the last character that is not white space */
    bool block;  /* a line outside of brackets ends with a colon, as in Python */
};

static bool is_triple(const char *text, size_t left, char quote)
{
    return left >= 3 && text[0] == quote && text[1] == quote && text[2] == quote;
}

/* Reads on in a string. Returns how many characters it has used. */
static size_t scan_string(struct scan *scan, const char *text, size_t left)
{
    const bool ends = scan->triple ? is_triple(text, left, scan->quote) : *text == scan->quote;

    if (*text == '\\')
        return left > 1 ? 2 : 1;
    /* Other strings end with their line: the quote was an apostrophe in a comment. */
    if (ends || (*text == '\n' && !scan->triple && scan->quote != '`'))
        scan->quote = '\0';
    return ends && scan->triple ? 3 : 1;
}

static size_t scan_code(struct scan *scan, const char *text, size_t left)
{
    switch (*text) {
    case '(':
    case '[':
    case '{':
        scan->depth++;
        return 1;
    case ')':
    case ']':
    case '}':
        scan->depth -= scan->depth > 0;
        return 1;
    case '"':
    case '\'':
    case '`':
        scan->quote = *text;
        scan->triple = *text != '`' && is_triple(text, left, *text);
        return scan->triple ? 3 : 1;
    default:
        return 1;
    }
}

static struct scan scan_text(const char *text, size_t length)
{
    struct scan scan = {.last = '\n'};
    size_t used;

    for (size_t at = 0; at < length; at += used) {
        if (text[at] == '\n')
            scan.block |= scan.last == ':' && scan.depth == 0 && scan.quote == '\0';
        else if (!text_is_blank(text + at, 1))
            scan.last = text[at];
        used = scan.quote != '\0' ? scan_string(&scan, text + at, length - at)
                                  : scan_code(&scan, text + at, length - at);
    }
    return scan;
}

/* The start of the last line of a text that ends with a newline. */
static size_t last_line(const char *text, size_t length)
{
    size_t at = length - 1;

    while (at > 0 && text[at - 1] != '\n')
        at--;
    return at;
}

bool session_cell_is_complete(const char *text, size_t length)
{
    const struct scan scan = scan_text(text, length);
    size_t line;

    if (length == 0 || scan.depth > 0 || scan.quote != '\0')
        return false;
    line = last_line(text, length);
    if (line > 0 && text_is_blank(text + line, length - line - 1))
        return true;
    /* A decorator precedes what it is for. */
    return !scan.block && !strchr(",\\", scan.last) && text[0] != '@';
}

bool session_cell_is_separator(const char *line, size_t length)
{
    static const char *const separators[] = {"# %%", "#%%", "// %%", "//%%"};

    for (size_t i = 0; i < sizeof separators / sizeof *separators; i++) {
        const size_t wanted = strlen(separators[i]);

        if (length >= wanted && memcmp(line, separators[i], wanted) == 0)
            return true;
    }
    return false;
}

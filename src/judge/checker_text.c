#include "judge/checker_text.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/decimal.h"
#include "base/text.h"
#include "judge/checker.h"

char *checker_text_line(const char *text, size_t length)
{
    CLEANUP_FREE char *line = NULL;
    size_t start = 0, end;

    while (start < length && (text[start] == '\n' || text[start] == '\r' || text[start] == ' '))
        start++;
    for (end = start; end < length && text[end] != '\n' && text[end] != '\r';)
        end++;
    if (end - start > CHECKER_MESSAGE_MAX)
        end = start + CHECKER_MESSAGE_MAX;
    end -= utf8_cut_tail(text + start, end - start); /* of the text, or of a file that was cut */
    line = string_format("%.*s", (int)(end - start), text + start);
    return *line ? text_escape(line) : NULL;
}

/* The last line of Python; NULL: it has not ended by an exception. */
static char *python_exception(const char *text)
{
    const char *heading = strstr(text, "Traceback (most recent call last):\n");
    size_t end = strlen(text), start;

    if (strncmp(text, "  File \"", 8) != 0 &&
        (!heading || (heading != text && heading[-1] != '\n')))
        return NULL;
    while (end > 0 && strchr("\r\n ", text[end - 1]))
        end--;
    for (start = end; start > 0 && text[start - 1] != '\n';)
        start--;
    return checker_text_line(text + start, end - start);
}

/* The line of Node.js that names the exception; its last line is its version. */
static char *node_exception(const char *text)
{
    const char *version = strstr(text, "\n\nNode.js v"), *stack = strstr(text, "\n    at ");
    const char *start = text;

    if (!version || strcspn(version + 2, "\n") + 1 < strlen(version + 2))
        return NULL;
    for (const char *at = text; stack && (at = strstr(at, "\n\n")) && at < stack; at++)
        start = at;
    return checker_text_line(start, strlen(start));
}

char *checker_text_first_line(const struct strbuf *text)
{
    return text->length > 0 ? checker_text_line(text->data, text->length) : NULL;
}

char *checker_text_exception(int exit_code, const struct strbuf *written)
{
    const char *text = strbuf_string(written);
    char *line = exit_code == 1 ? python_exception(text) : NULL;

    return line || exit_code != 1 ? line : node_exception(text);
}

bool checker_text_part(int exit_code, const char *line, double *part)
{
    static const char start[] = "partially correct (";
    const char *number;
    double percent;

    if (!line || strncmp(line, start, strlen(start)) != 0)
        return false;
    number = line + strlen(start);
    if (!strchr(number, ')') || !decimal_read(number, strcspn(number, ")"), &percent) ||
        (exit_code != percent && exit_code != percent + 50))
        return false;
    *part = percent / 100;
    return true;
}

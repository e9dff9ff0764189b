#include "run/checker_text.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "run/checker.h"

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

char *checker_text_exception(int exit_code, const struct strbuf *written)
{
    const char *text = strbuf_string(written);
    const char *heading = strstr(text, "Traceback (most recent call last):\n");
    size_t end = strlen(text), start;

    if (exit_code != 1 || (strncmp(text, "  File \"", 8) != 0 &&
                           (!heading || (heading != text && heading[-1] != '\n'))))
        return NULL;
    while (end > 0 && strchr("\r\n ", text[end - 1]))
        end--;
    for (start = end; start > 0 && text[start - 1] != '\n';)
        start--;
    return checker_text_line(text + start, end - start);
}

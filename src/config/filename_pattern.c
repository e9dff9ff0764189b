#include "config/filename_pattern.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/strbuf.h"

enum { NAME_BYTES_MAX = 255 };

struct filename_pattern {
    regex_t regex;
};

static const char PLAIN[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$";

struct filename_pattern *filename_pattern_new(const char *text, struct error *error)
{
    struct filename_pattern *pattern;
    char why[200] = "";
    int failure;

    if (strlen(text) > FILENAME_PATTERN_MAX) {
        error_set(error, ERROR_USAGE, "a pattern can have %d bytes at most", FILENAME_PATTERN_MAX);
        return NULL;
    }
    pattern = memory_allocate(sizeof *pattern);
    failure = regcomp(&pattern->regex, text, REG_EXTENDED | REG_NEWLINE);
    if (failure != 0) {
        regerror(failure, NULL, why, sizeof why);
        error_set(error, ERROR_USAGE, "not a regular expression: %s", why);
        free(pattern);
        return NULL;
    }
    if (pattern->regex.re_nsub >= 1 && pattern->regex.re_nsub <= FILENAME_GROUPS_MAX)
        return pattern;
    error_set(error, ERROR_USAGE,
              "a pattern needs 1 to %d groups in parentheses, the last of which is the name",
              FILENAME_GROUPS_MAX);
    filename_pattern_free(pattern);
    return NULL;
}

void filename_pattern_free(struct filename_pattern *pattern)
{
    if (pattern)
        regfree(&pattern->regex);
    free(pattern);
}

/* The name of the file, owned; NULL: it is not plain. */
static char *name_of(const char *start, size_t length, const char *default_filename)
{
    const char *dot = strrchr(default_filename, '.');
    const char *extension = dot ? dot : "";

    if (length == 0 || length + strlen(extension) > NAME_BYTES_MAX || strspn(start, PLAIN) < length)
        return NULL;
    return string_format("%.*s%s", (int)length, start, extension);
}

char *filename_pattern_find(const struct filename_pattern *pattern, const char *source,
                            size_t length, const char *default_filename)
{
    const char *at = source;
    const char *end = source + (length < FILENAME_SOURCE_MAX ? length : FILENAME_SOURCE_MAX);

    for (int lines = 0; pattern && at < end && lines < FILENAME_LINES_MAX; lines++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const size_t bytes = (size_t)((newline ? newline : end) - at);
        const size_t shown = bytes < FILENAME_LINE_MAX ? bytes : FILENAME_LINE_MAX;
        regmatch_t groups[FILENAME_GROUPS_MAX + 1];
        const regmatch_t *last = &groups[pattern->regex.re_nsub];
        char line[FILENAME_LINE_MAX + 1];

        memcpy(line, at, shown);
        line[shown] = '\0'; /* a NUL in the source ends its line too */
        if (regexec(&pattern->regex, line, FILENAME_GROUPS_MAX + 1, groups, 0) == 0)
            return last->rm_so < 0 ? NULL
                                   : name_of(line + last->rm_so,
                                             (size_t)(last->rm_eo - last->rm_so), default_filename);
        at += bytes + 1;
    }
    return NULL;
}

char *filename_pattern_find_in_file(const struct filename_pattern *pattern, int file,
                                    const char *default_filename)
{
    CLEANUP_FREE char *source = NULL;
    size_t length = 0;
    ssize_t got = 1;

    if (!pattern)
        return NULL;
    source = memory_allocate(FILENAME_SOURCE_MAX);
    while (got > 0 && length < FILENAME_SOURCE_MAX) {
        got = pread(file, source + length, FILENAME_SOURCE_MAX - length, (off_t)length);
        length += got > 0 ? (size_t)got : 0;
    }
    return filename_pattern_find(pattern, source, length, default_filename);
}

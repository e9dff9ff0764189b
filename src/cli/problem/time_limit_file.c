#include "cli/problem/time_limit_file.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/decimal.h"
#include "base/strbuf.h"

/* Maximum bytes of the files .timelimit and domjudge-problem.ini. */
enum { TIME_LIMIT_FILE_MAX = 100, INI_FILE_MAX = 65536 };

/* Where a value begins after "NAME =", with its quotes; NULL: the line is about something else. */
static const char *value_of(const char *line, const char *name)
{
    const size_t length = strlen(name);

    line += strspn(line, " \t");
    if (strncmp(line, name, length) != 0)
        return NULL;
    line += length + strspn(line + length, " \t");
    return *line == '=' ? line + 1 + strspn(line + 1, " \t\"'") : NULL;
}

/* Reads a time limit at the start of a text; `place` is for the message. */
static int read_seconds(const char *text, const char *place, double *seconds, struct error *error)
{
    return decimal_read(text, strcspn(text, " \t\r\n\"';"), seconds) && *seconds > 0
               ? 0
               : error_set(error, ERROR_INPUT, "%s: must be a number of seconds greater than 0",
                           place);
}

/*
 * Reads the time limit in a file of older packages; NAN: there is none. A file .timelimit has it
 * alone, domjudge-problem.ini in the line of its key; the last one counts.
 */
static int read_file(const struct test_root *root, const char *file, const char *key,
                     double *seconds, struct error *error)
{
    CLEANUP_FREE char *shown = case_file_shown(root, file);
    CLEANUP_FREE char *place = string_format("'%s'%s%s", shown, key ? ": " : "", key ? key : "");
    CLEANUP(strbuf_release) struct strbuf content = STRBUF_INIT;

    *seconds = NAN;
    if (faccessat(root->fd, file, F_OK, 0) != 0)
        return 0;
    if (case_file_read(root, file, key ? INI_FILE_MAX : TIME_LIMIT_FILE_MAX, &content, error) != 0)
        return -1;
    if (!key)
        return read_seconds(strbuf_string(&content), place, seconds, error);
    for (const char *line = strbuf_string(&content); line;) {
        const char *value = value_of(line, key);

        if (value && read_seconds(value, place, seconds, error) != 0)
            return -1;
        line = strchr(line, '\n');
        line += line != NULL;
    }
    return 0;
}

int time_limit_file_read(const struct test_root *root, double *seconds, const char **source,
                         struct error *error)
{
    *source = "domjudge-problem.ini of the package";
    if (read_file(root, "domjudge-problem.ini", "timelimit", seconds, error) != 0)
        return -1;
    if (!isnan(*seconds))
        return 0;
    *source = ".timelimit of the package";
    return read_file(root, ".timelimit", NULL, seconds, error);
}

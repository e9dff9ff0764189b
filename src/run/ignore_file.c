#include "run/ignore_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/lines.h"
#include "base/memory.h"
#include "base/strbuf.h"

enum { SIZE_MAX_BYTES = 16384 };

/*
 * A step is one character of a path for one pattern, which takes about 25 ns (base/glob.h): all of
 * them take 10 s. 100 patterns and 50000 paths of 50 characters take 250 million.
 */
enum { STEPS_MAX = 400000000 };

static int refuse(struct error *error)
{
    return error_set(error, ERROR_INPUT, "'" IGNORE_FILE "' is not a text file of at most %d KiB",
                     SIZE_MAX_BYTES >> 10);
}

/* Reads the file. There are no lines if there is none. */
static int read_lines(int directory, struct lines *lines, struct error *error)
{
    CLEANUP_FD const int fd =
        openat(directory, IGNORE_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    char data[SIZE_MAX_BYTES];
    struct stat status;
    ssize_t length;

    if (fd < 0 && errno == ENOENT)
        return 0;
    if (fd < 0 && errno == ELOOP)
        return refuse(error);
    if (fd < 0 || fstat(fd, &status) != 0)
        return error_set_errno(error, ERROR_INPUT, "cannot open '" IGNORE_FILE "'");
    if (!S_ISREG(status.st_mode) || status.st_size > SIZE_MAX_BYTES)
        return refuse(error);
    length = read(fd, data, sizeof data);
    if (length < 0)
        return error_set_errno(error, ERROR_INPUT, "cannot read '" IGNORE_FILE "'");
    if (memchr(data, '\0', (size_t)length))
        return refuse(error);
    lines_feed(lines, data, (size_t)length);
    lines_end(lines);
    return 0;
}

/* Adds the pattern of a line, which may be changed. */
static int add_pattern(struct ignore_file *ignored, char *line, struct error *error)
{
    CLEANUP(error_release) struct error failure = ERROR_INIT;
    struct ignore_pattern pattern = {.sends = *line == '!'};
    const bool from_root = *(line += pattern.sends) == '/';
    size_t length = strlen(line += from_root);

    pattern.directory_only = length > 0 && line[length - 1] == '/';
    if (pattern.directory_only)
        line[--length] = '\0';
    if (length == 0)
        return error_set(error, ERROR_INPUT, "there is no name in the pattern");
    if (glob_compile(&pattern.glob, line, &failure) != 0)
        return error_set(error, ERROR_INPUT, "%s", failure.message);
    if (from_root)
        pattern.glob.last_part = false;
    ignored->items = memory_resize(ignored->items, (ignored->count + 1) * sizeof *ignored->items);
    ignored->items[ignored->count++] = pattern;
    return 0;
}

/* Reads a line, which may be changed. */
static int read_line(struct ignore_file *ignored, char *line, struct error *error)
{
    size_t length = strlen(line);

    while (length > 0 && strchr(" \t", line[length - 1]))
        line[--length] = '\0';
    return length == 0 || *line == '#' ? 0 : add_pattern(ignored, line, error);
}

int ignore_file_read(struct ignore_file *ignored, int directory, struct error *error)
{
    CLEANUP(lines_release) struct lines lines = LINES_INIT(SIZE_MAX_BYTES);
    const char *text;
    size_t length;

    *ignored = (struct ignore_file){.left = STEPS_MAX};
    if (read_lines(directory, &lines, error) != 0)
        return -1;
    for (int number = 1; lines_next(&lines, &text, &length) == LINES_LINE; number++) {
        CLEANUP_FREE char *line = string_format("%.*s", (int)length, text);

        if (read_line(ignored, line, error) != 0)
            return error_prefix(error, "'" IGNORE_FILE "', line %d", number);
    }
    return 0;
}

int ignore_file_ask(struct ignore_file *ignored, const char *path, bool is_directory,
                    bool *left_out, struct error *error)
{
    *left_out = false;
    ignored->left -= (long long)(ignored->count * strlen(path));
    if (ignored->left < 0)
        return error_set(error, ERROR_INPUT,
                         "'" IGNORE_FILE "' has too many patterns for so many files");
    for (size_t i = ignored->count; i > 0; i--) {
        const struct ignore_pattern *pattern = &ignored->items[i - 1];

        if ((!pattern->directory_only || is_directory) && glob_match(&pattern->glob, path)) {
            *left_out = !pattern->sends;
            return 0;
        }
    }
    return 0;
}

void ignore_file_release(struct ignore_file *ignored)
{
    for (size_t i = 0; i < ignored->count; i++)
        glob_release(&ignored->items[i].glob);
    free(ignored->items);
    *ignored = (struct ignore_file)IGNORE_FILE_INIT;
}

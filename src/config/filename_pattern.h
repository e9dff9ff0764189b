/*
 * The pattern by which a language names the file of a program after its source: a public class of
 * Java must be in a file of its name. It is a POSIX extended regular expression, which the owner of
 * the configuration writes; its last group is the name. Knows nothing of requests.
 *
 * The source is hostile, and matching takes time. So only its first FILENAME_SOURCE_MAX bytes and
 * FILENAME_LINES_MAX lines are looked at, line by line, and only the first FILENAME_LINE_MAX bytes
 * of a line: a C library may take time and stack that grow faster than the text. The
 * worst source for the pattern of Java takes 5 ms with glibc, and 80 ms with musl.
 */
#ifndef CONFIG_FILENAME_PATTERN_H
#define CONFIG_FILENAME_PATTERN_H

#include <stddef.h>

#include "base/error.h"

enum {
    FILENAME_PATTERN_MAX = 1000,
    FILENAME_GROUPS_MAX = 9,
    FILENAME_SOURCE_MAX = 1 << 20,
    FILENAME_LINES_MAX = 20000,
    FILENAME_LINE_MAX = 1000
};

struct filename_pattern;

/*
 * Compiles the pattern. NULL with ERROR_USAGE if it is not a regular expression, is longer than
 * FILENAME_PATTERN_MAX bytes, or has no group or more than FILENAME_GROUPS_MAX of them.
 */
struct filename_pattern *filename_pattern_new(const char *text, struct error *error);

/* Does nothing with NULL. */
void filename_pattern_free(struct filename_pattern *pattern);

/*
 * Returns the name that the first line which matches gives the program, with the extension of
 * `default_filename`, owned. NULL if no line matches, or if that is not a plain name: letters,
 * digits, _ and $, with the extension at most 255 bytes. A pattern of NULL matches nothing.
 */
char *filename_pattern_find(const struct filename_pattern *pattern, const char *source,
                            size_t length, const char *default_filename);

/* The same for a source in a file that can be read at any offset; its offset stays. */
char *filename_pattern_find_in_file(const struct filename_pattern *pattern, int file,
                                    const char *default_filename);

#endif

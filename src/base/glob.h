/*
 * Patterns for paths, as in shells and in .gitignore:
 *
 * - '*' matches any characters of one part of a path, '?' one character of it, '[a-z]' one of a set
 *   and '[!a-z]' one that is not in the set; a ']' that comes first is a member of the set.
 * - Two stars match any characters, also over several parts; "**" and a slash match any number of
 *   whole parts, also none.
 * - A pattern without '/' is compared with the last part of the path alone.
 * - A dot at the start of a part is matched only by a dot at the start of a part of the pattern.
 *
 * Pattern and path may both be untrusted. A pattern is compiled once, and a match then takes
 * one step for each character of the path: a few words of 64 places in the pattern are computed at
 * once. For a pattern of 200 bytes and a path of 4000 bytes this takes about 0.1 ms, whatever they
 * contain; fnmatch(3) has no such bound. A compiled pattern takes memory in proportion to the
 * square of its length, so the length is limited.
 */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct glob {
    bool last_part; /* compared with the last part of a path alone */
    size_t end;     /* the place after the pattern; places are numbered from 0 */
    size_t words;   /* of 64 bits, that a set of places has */
    /*
     * Sets of places, in one allocation that is owned: before the stars, which can be skipped, and
     * before each dot that matches a dot at the start of a part.
     */
    uint64_t *memory;
    const uint64_t *stars_in_part, *stars_over_parts, *whole_parts, *dots;
    /* Characters that the pattern does not distinguish form a class, which has a set of places. */
    unsigned long *class_starts; /* owned; the first character of each, in ascending order */
    size_t class_count;
    const uint64_t *class_places; /* by class: the places whose character it is */
    unsigned short ascii[128];    /* the class of each of these characters */
};

/* The value of a struct that owns nothing, for glob_release(). */
#define GLOB_INIT                                                                                  \
    {                                                                                              \
        .memory = NULL                                                                             \
    }

/* The maximum length of a pattern in bytes; a compiled one then takes at most 300 kB. */
enum { GLOB_PATTERN_MAX = 1000 };

/*
 * Compiles the pattern, which is not needed afterwards. ERROR_USAGE, which names it, if it has a
 * '[' without a ']' or is longer than GLOB_PATTERN_MAX; the glob then owns nothing.
 */
int glob_compile(struct glob *glob, const char *pattern, struct error *error);

/* True if the pattern matches this path, which is relative. */
bool glob_match(const struct glob *glob, const char *path);

void glob_release(struct glob *glob);

#endif

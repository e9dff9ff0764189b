/*
 * Patterns for paths, as shells and .gitignore have them: '*' stands for any bytes of one part of a path, '?'
 * for one character of it, '[a-z]' and '[!a-z]' for one of a set, two stars for any bytes, also over several
 * parts. A pattern without '/' is for the last part alone. The dot that a part begins with is matched
 * by a dot alone that a part of the pattern begins with.
 *
 * The time is bounded by the product of the lengths, which that of fnmatch(3) is not: pattern and path may
 * both be of strangers.
 */
#ifndef BASE_GLOB_H
#define BASE_GLOB_H

#include <stdbool.h>

/* Whether the pattern is for this path, which is relative. */
bool glob_matches(const char *pattern, const char *path);

#endif

/*
 * Fuzz target: patterns for paths. The input is a pattern, a line break and a path, both so short
 * that no pattern made of them is too long. These properties are checked:
 *
 * - Only a pattern with a '[' is refused.
 * - A path without special characters matches itself as a pattern, and with "**" before it also the
 * same path below any directory.
 * - '?' matches any character except '/', like the set "[!/]".
 * - Without sets, "**" and multi-byte characters, fnmatch(3) has the same result. Only short inputs
 * are compared, because the time that it takes has no bound.
 */
#include "fuzz.h"

#include <ctype.h>
#include <fnmatch.h>

#include "base/glob.h"

enum { SHORT = 24 };

/* Each '?' becomes a set of four bytes. */
enum { INPUT_MAX = GLOB_PATTERN_MAX / 4 };

/* False if the pattern is refused. */
static bool compiles(const char *pattern)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(glob_release) struct glob glob = GLOB_INIT;
    const bool refused = glob_compile(&glob, pattern, &error) != 0;

    fuzz_require(!refused || strchr(pattern, '['), "'%s' is refused", pattern);
    return !refused;
}

static bool glob_matches(const char *pattern, const char *path)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(glob_release) struct glob glob = GLOB_INIT;

    return glob_compile(&glob, pattern, &error) == 0 && glob_match(&glob, path);
}

static bool is_simple(const char *text)
{
    for (const char *at = text; *at; at++)
        if (!isascii((unsigned char)*at))
            return false;
    return strlen(text) <= SHORT && !strchr(text, '[') && !strstr(text, "**");
}

static void check_against_fnmatch(const char *pattern, const char *path, bool matches)
{
    const char *slash = strrchr(path, '/');
    const char *part = strchr(pattern, '/') || !slash ? path : slash + 1;
    const int expected = fnmatch(pattern, part, FNM_PATHNAME | FNM_PERIOD | FNM_NOESCAPE);

    fuzz_require(matches == (expected == 0), "'%s' for '%s': %d", pattern, path, matches);
}

static void check_sets(const char *pattern, const char *path, bool matches)
{
    CLEANUP(strbuf_release) struct strbuf same = STRBUF_INIT;

    for (const char *at = pattern; *at; at++) {
        if (*at == '?')
            strbuf_addstr(&same, "[!/]");
        else
            strbuf_addch(&same, *at);
    }
    /* A '/' would change a pattern that applies only to the last part of a path. */
    fuzz_require((strchr(pattern, '?') && !strchr(pattern, '/')) ||
                     matches == glob_matches(strbuf_string(&same), path),
                 "'%s' for '%s': %d", strbuf_string(&same), path, matches);
}

static void check_itself(const char *path)
{
    CLEANUP_FREE char *below = string_format("**/%s", path);

    fuzz_require(glob_matches(path, path), "'%s'", path);
    fuzz_require(glob_matches(below, path), "'%s'", below);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    CLEANUP_FREE char *pattern = fuzz_string(data, size);
    char *path = strchr(pattern, '\n');
    bool matches;

    if (!path || size > INPUT_MAX)
        return 0;
    *path++ = '\0';
    if (!compiles(pattern))
        return 0;
    matches = glob_matches(pattern, path);
    if (is_simple(pattern) && is_simple(path))
        check_against_fnmatch(pattern, path, matches);
    if (!strchr(pattern, '['))
        check_sets(pattern, path, matches);
    if (!strpbrk(path, "*?["))
        check_itself(path);
    return 0;
}

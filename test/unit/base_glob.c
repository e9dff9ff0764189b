#include "test.h"

#include "base/glob.h"

static void check(const char *pattern, const char *path, bool expected)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(glob_release) struct glob glob = GLOB_INIT;

    assert_int_equal(glob_compile(&glob, pattern, &error), 0);
    if (glob_match(&glob, path) != expected)
        fail_msg("'%s' %s '%s'", pattern, expected ? "does not match" : "matches", path);
}

CASE(glob__parts)
{
    check("plot.png", "plot.png", true);
    check("plot.png", "plot.pngs", false);
    check("plot.pngs", "plot.png", false);
    check("", "", true);
    check("", "a", false);
    check("*", "", true);
    check("*.png", "plot.png", true);
    check("*.png", "a.png", true);
    check("*.png", "plot.PNG", false);
    check("*.png", "plot.png.txt", false);
    check("p*t*.p*g", "plotted.plot.png", true);
    check("a*b*c", "abcabd", false);
    check("a*b*c", "abcabc", true);
    check("?.txt", "a.txt", true);
    check("?.txt", "\xc3\xa4.txt", true);
    check("?.txt", "ab.txt", false);
    check("\xc3\xa4*", "\xc3\xa4pfel", true);
    check("*\xa4", "\xff\xa4", true);
}

CASE(glob__directories)
{
    check("*.png", "out/a/plot.png", true); /* no slash: compared with the last part */
    check("out", "out/plot.png", false);
    check("out/*.png", "out/plot.png", true);
    check("out/*.png", "out/a/plot.png", false);
    check("out/*/*.png", "out/a/plot.png", true);
    check("out/?/x", "out//x", false);
    check("out/[/]x", "out//x", false);
    check("out?x/y", "out/x/y", false);
    check("out/**", "out/a/b", true);
    check("out/**", "out", false);
    check("**", "a/b/c", true);
    check("**/*.png", "plot.png", true);
    check("**/*.png", "a/b/plot.png", true);
    check("**/b/*.png", "a/b/plot.png", true);
    check("**/b/*.png", "ab/plot.png", false);
    check("a/**/z", "a/z", true);
    check("a/**/z", "a/b/c/z", true);
    check("a/**/z", "az", false);
    check("a/**/z", "a/bz", false);
    check("a/**/c/*/e", "a/b/c/d/c/d/e", true);
    check("a**/z", "a/b/z", true);
    check("**/a*/**/b", "x/ac/y/ab/b", true);
    check("**.png", "a/plot.png", true);
    check("a/**.png", "a/b/plot.png", true);
}

CASE(glob__leading_dots)
{
    check("*", ".hidden", false);
    check("?hidden", ".hidden", false);
    check("[.]hidden", ".hidden", false);
    check("**", ".hidden", false);
    check("**", "a/.hidden", false);
    check("**/x", ".git/x", false);
    check("a/**/x", "a/.git/b/x", false);
    check("a/**", "a/.b/x", false);
    check(".*", ".hidden", true);
    check(".*", "a/.hidden", true);
    check("**/.*", "a/.hidden", true);
    check("a/.b/*", "a/.b/x", true);
    check("*.png", ".png", false);
    check("a/*.png", "a/.png", false);
    check("**.png", "a/.png", false);
    check("*", "not.hidden", true);
}

CASE(glob__sets)
{
    check("[abc].txt", "b.txt", true);
    check("[abc].txt", "d.txt", false);
    check("[a-c].txt", "b.txt", true);
    check("[!a-c].txt", "b.txt", false);
    check("[^a-c].txt", "d.txt", true);
    check("[]a].txt", "].txt", true);
    check("[!]].txt", "].txt", false);
    check("[a-].txt", "-.txt", true);
    check("[\xc3\xa0-\xc3\xbc].txt", "\xc3\xa4.txt", true);
    check("[z-a].txt", "b.txt", false);
    check("[!z-a].txt", "b.txt", true);
    check("[[]a.txt", "[a.txt", true);
    check("*[0-9].txt", "a1b2.txt", true);
}

static void check_refused(const char *pattern)
{
    CLEANUP_FREE char *message = string_format(
        "the pattern '%s' has a '[' without a ']'; '[[]' is the character itself", pattern);
    CLEANUP(glob_release) struct glob glob = GLOB_INIT;
    struct error error = ERROR_INIT;

    assert_int_equal(glob_compile(&glob, pattern, &error), -1);
    assert_error(&error, ERROR_USAGE, message);
}

CASE(glob__sets_without_an_end)
{
    check_refused("[");
    check_refused("[a.txt");
    check_refused("[!");
    check_refused("[]");
    check_refused("[!]");
    check_refused("[a-");
    check_refused("[a-]b[");
    check_refused("**[**[**[");
}

/* Places after the first 64 are in another word. */
CASE(glob__long_patterns)
{
    char pattern[400] = "", path[400] = "";

    for (int length = 1; length < 200; length++) {
        memset(path, 'a', (size_t)length);
        check(path, path, true);
        memset(pattern, '?', (size_t)length);
        check(pattern, path, true);
        pattern[length] = '*';
        check(pattern, path, true);
        strcpy(pattern + length, "?");
        check(pattern, path, false);
        strcpy(pattern + length, "**");
        check(pattern, path, true);
        pattern[length] = '\0';
    }
}

CASE(glob__a_pattern_that_is_too_long)
{
    CLEANUP(glob_release) struct glob glob = GLOB_INIT;
    struct error error = ERROR_INIT;
    char pattern[GLOB_PATTERN_MAX + 2] = "";
    CLEANUP_FREE char *message = NULL;

    memset(pattern, 'a', GLOB_PATTERN_MAX);
    check(pattern, pattern, true);
    pattern[GLOB_PATTERN_MAX] = 'a';
    message = string_format("the pattern '%.80s...' is longer than 1000 bytes", pattern);
    assert_int_equal(glob_compile(&glob, pattern, &error), -1);
    assert_error(&error, ERROR_USAGE, message);
}

/* Checks a pattern of as many units as fit in 199 bytes, followed by a 'b'. */
static void check_many(const char *unit, const char *path, bool expected)
{
    char pattern[201] = "";

    while (strlen(pattern) + strlen(unit) < 200)
        strcat(pattern, unit);
    strcat(pattern, "b");
    for (int i = 0; i < 20; i++)
        check(pattern, path, expected);
}

/*
 * A matcher that backtracks would take longer than the age of the universe for each of these.
 */
CASE(glob__takes_no_time)
{
    char path[65001], deep[65001];

    memset(path, 'a', 65000);
    path[65000] = '\0';
    for (int i = 0; i < 65000; i++)
        deep[i] = i % 2 == 0 ? 'a' : '/';
    deep[65000] = '\0';
    check_many("*a", path, false);
    check_many("**a", path, false);
    check_many("[a-c]*", path, false);
    check_many("*[!b]", path, false);
    check_many("**/a/", deep, false);
    check_many("**/", deep, false);
    check_many("**a", deep, false);
    check("**a*x", path, false);
    check("**a*a", path, true);
}

CASE(glob__release_is_legal_after_init)
{
    struct glob glob = GLOB_INIT;

    glob_release(&glob);
    glob_release(&glob);
}

#include "test.h"

#include "base/glob.h"

static void check(const char *pattern, const char *path, bool expected)
{
    if (glob_matches(pattern, path) != expected)
        fail_msg("'%s' %s '%s'", pattern, expected ? "does not match" : "matches", path);
}

static void glob__parts(void **state)
{
    (void)state;
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

static void glob__directories(void **state)
{
    (void)state;
    check("*.png", "out/a/plot.png", true); /* without a slash: the last part */
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

static void glob__leading_dots(void **state)
{
    (void)state;
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

static void glob__sets(void **state)
{
    (void)state;
    check("[abc].txt", "b.txt", true);
    check("[abc].txt", "d.txt", false);
    check("[a-c].txt", "b.txt", true);
    check("[!a-c].txt", "b.txt", false);
    check("[^a-c].txt", "d.txt", true);
    check("[]a].txt", "].txt", true);
    check("[!]].txt", "].txt", false);
    check("[a-].txt", "-.txt", true);
    check("[\xc3\xa0-\xc3\xbc].txt", "\xc3\xa4.txt", true);
    check("[a.txt", "[a.txt", true);
    check("[a.txt", "a.txt", false);
    check("*[0-9].txt", "a1b2.txt", true);
}

/* What takes other matchers longer than the universe lasts. */
static void glob__takes_no_time(void **state)
{
    char pattern[201] = "", path[65001];

    (void)state;
    for (int i = 0; i < 200; i += 2)
        memcpy(pattern + i, "*a", 2);
    pattern[199] = 'b';
    memset(path, 'a', 65000);
    path[65000] = '\0';
    check(pattern, path, false);
    check("**a*x", path, false);
    check("**a*a", path, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(glob__parts),         cmocka_unit_test(glob__directories),
        cmocka_unit_test(glob__leading_dots),  cmocka_unit_test(glob__sets),
        cmocka_unit_test(glob__takes_no_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

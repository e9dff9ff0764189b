#include "test.h"

#include "base/text.h"
#include "config/workdir.h"

static void check_parsed(const char *path, const char *expected)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *parsed = workdir_parse(path, &error);

    assert_no_error(&error);
    assert_text_or_null(parsed, expected);
}

static void check_refused(const char *path, const char *message)
{
    struct error error = ERROR_INIT;

    assert_null(workdir_parse(path, &error));
    assert_error(&error, ERROR_USAGE, message);
}

static void check_none(const char *path)
{
    CLEANUP_FREE char *shown = text_escape(path);
    CLEANUP_FREE char *message = string_format(
        "'%s' is not a working directory; write an absolute path like /workspace", shown);

    check_refused(path, message);
}

CASE(workdir__paths)
{
    static const char *const good[] = {"/w",           "/workspace", "/home/a/b", "/tmp",   "/usrs",
                                       "/process",     "/etc2/x",    "/...",      "/..a",   "/a/.b",
                                       "/caf\xc3\xa9", "/a=b;c",     "/a+b",      "/tmp/x", "/-",
                                       "/work space",  "/ a /b",     "/a  b/c d"};

    for (size_t i = 0; i < COUNT(good); i++)
        check_parsed(good[i], good[i]);
}

CASE(workdir__slashes)
{
    check_parsed("/workspace/", "/workspace");
    check_parsed("/workspace//", "/workspace");
    check_parsed("//w", "/w");
    check_parsed("/a//b", "/a/b");
    check_parsed("///a///b c///", "/a/b c");
}

CASE(workdir__paths_that_are_refused)
{
    static const char *const bad[] = {
        "",     "/",    "//",    "w",     "./w",  "../w", "w/",   "/a/./b", "/a/../b", "/a//..",
        "/.",   "/..",  "/./",   "/a/..", "/a/.", "/a:b", "/a,b", "/a\tb",  "/a\nb",   "/a$b",
        "/a'b", "/a`b", "/a\"b", "/a\\b", "/a ",  "/a /", "/ ",   " /a"};

    for (size_t i = 0; i < COUNT(bad); i++)
        check_none(bad[i]);
}

CASE(workdir__directories_of_the_system)
{
    static const char *const system[] = {"/proc", "/sys", "/dev",   "/etc", "/bin",
                                         "/sbin", "/lib", "/lib64", "/usr"};
    static const char *const fronts[] = {"", "/", ""}, *const ends[] = {"", "/", "//a b"};

    for (size_t i = 0; i < COUNT(system) * COUNT(ends); i++) {
        const char *directory = system[i / COUNT(ends)];
        CLEANUP_FREE char *path =
            string_format("%s%s%s", fronts[i % COUNT(ends)], directory, ends[i % COUNT(ends)]);
        CLEANUP_FREE char *message = string_format(
            "'%s' cannot be the working directory: it is in the system's %s", path, directory);

        check_refused(path, message);
    }
}

CASE(workdir__of_many_bytes)
{
    char path[300];

    memset(path, 'w', sizeof path);
    path[0] = '/';
    path[255] = '\0';
    check_parsed(path, path);
    path[255] = 'w';
    path[256] = '\0';
    check_none(path);
}

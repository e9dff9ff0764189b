#include "test.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "base/strvec.h"
#include "run/ignore_file.h"

struct fixture {
    char *directory;
    struct ignore_file ignored;
    struct error error;
};

/* Reads a directory's .isolatorignore with this text; NULL: as it is. */
static int read_directory(struct fixture *fixture, const char *text)
{
    CLEANUP_FD const int fd = open(fixture->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (text)
        write_in(fixture->directory, IGNORE_FILE, text);
    return ignore_file_read(&fixture->ignored, fd, &fixture->error);
}

static void set_up(struct fixture *fixture)
{
    *fixture = (struct fixture){.directory = temp_create(), .ignored = IGNORE_FILE_INIT};
}

static void tear_down(struct fixture *fixture)
{
    ignore_file_release(&fixture->ignored);
    error_release(&fixture->error);
    temp_remove(fixture->directory);
}

static void refuse(struct fixture *fixture, const char *text, const char *message)
{
    assert_int_equal(read_directory(fixture, text), -1);
    assert_error(&fixture->error, ERROR_INPUT, message);
    tear_down(fixture);
}

/* Those of the paths that are left out, of which directories end with '/'. */
static void check(const char *text, const char *const *paths, const char *expected)
{
    CLEANUP(strvec_release) struct strvec found = STRVEC_INIT;
    CLEANUP_FREE char *joined = NULL;
    struct fixture fixture;

    set_up(&fixture);
    assert_int_equal(read_directory(&fixture, text), 0);
    for (; *paths; paths++) {
        CLEANUP_FREE char *path = string_copy(*paths);
        char *end = path + strlen(path) - 1;
        const bool is_directory = *end == '/';
        bool left_out;

        if (is_directory)
            *end = '\0';
        assert_int_equal(
            ignore_file_ask(&fixture.ignored, path, is_directory, &left_out, &fixture.error), 0);
        if (left_out)
            strvec_push(&found, *paths);
    }
    joined = strvec_join(&found, " ");
    assert_string_equal(joined, expected);
    tear_down(&fixture);
}

static const char *const tree[] = {".git/",   "a.o",       "build/",    "build",      "src/",
                                   "src/a.o", "src/build", "src/data/", "src/data/x", "data/",
                                   "#",       ".a.o",      "a b",       NULL};

CASE(ignore_file__patterns)
{
    check(NULL, tree, "");
    check("", tree, "");
    check("*.o", tree, "a.o src/a.o");
    check(".*", tree, ".git/ .a.o");
    check("build", tree, "build/ build src/build");
    check("build/", tree, "build/");
    check("/build", tree, "build/ build");
    check("/data", tree, "data/");
    check("src/data", tree, "src/data/");
    check("/src/data/", tree, "src/data/");
    check("**/x", tree, "src/data/x");
    check("data\n!/data\n", tree, "src/data/");
    check("!*.o\n*.o\n", tree, "a.o src/a.o");
}

CASE(ignore_file__lines)
{
    check("\xef\xbb\xbf# *\r\n\r\n\n*.o \t\r\n!a.o\r\n/a.o", tree, "a.o");
    check("a b\n", tree, "a b");
}

CASE(ignore_file__what_is_wrong)
{
    const char *const no_text = "'.isolatorignore' is not a text file of at most 16 KiB";
    CLEANUP_FREE char *large = memory_allocate(16386);
    CLEANUP_FREE char *path = NULL;
    struct fixture fixture;

    set_up(&fixture);
    refuse(&fixture, "a\n\n[a\n",
           "'.isolatorignore', line 3: the pattern '[a' has a '[' without a ']'; '[[]' is the "
           "character itself");
    set_up(&fixture);
    refuse(&fixture, "!/\n", "'.isolatorignore', line 1: there is no name in the pattern");
    memset(large, 'a', 16385);
    large[16385] = '\0';
    set_up(&fixture);
    refuse(&fixture, large, no_text);
    set_up(&fixture);
    path = path_in(fixture.directory, IGNORE_FILE);
    write_bytes(path, "a\0b", 3, 0644);
    refuse(&fixture, NULL, no_text);
    set_up(&fixture);
    free(path);
    path = path_in(fixture.directory, IGNORE_FILE);
    assert_int_equal(symlink("/etc/passwd", path), 0);
    refuse(&fixture, NULL, no_text);
    set_up(&fixture);
    free(path);
    path = path_in(fixture.directory, IGNORE_FILE);
    assert_int_equal(mkfifo(path, 0600), 0);
    refuse(&fixture, NULL, no_text);
}

/* 8000 patterns, and paths of 50000 characters in all: the time is bounded. */
CASE_WITH(ignore_file__too_many_patterns, set_up(fixture))
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    CLEANUP_FREE char *path = string_format("%01000d", 0);
    bool left_out;
    int paths = 0;

    for (int i = 0; i < 8000; i++)
        strbuf_addstr(&text, "x\n");
    assert_int_equal(read_directory(fixture, text.data), 0);
    while (ignore_file_ask(&fixture->ignored, path, false, &left_out, &fixture->error) == 0)
        paths++;
    assert_int_equal(paths, 50);
    assert_error(&fixture->error, ERROR_INPUT,
                 "'.isolatorignore' has too many patterns for so many files");
}

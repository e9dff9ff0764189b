#include "test.h"

#include <unistd.h>

#include "base/memory.h"
#include "config/filename_pattern.h"

/* The name that the pattern finds in the source; "-": none. */
static void check_found(const char *text, const char *source, size_t length, const char *expected)
{
    struct error error = ERROR_INIT;
    struct filename_pattern *pattern = filename_pattern_new(text, &error);
    CLEANUP_FREE char *name = NULL;

    assert_no_error(&error);
    assert_non_null(pattern);
    name = filename_pattern_find(pattern, source, length, "Main.x");
    assert_string_equal(name ? name : "-", expected);
    filename_pattern_free(pattern);
}

static void check(const char *text, const char *source, const char *expected)
{
    check_found(text, source, strlen(source), expected);
}

CASE(filename_pattern__first_line_that_matches)
{
    check("^class (.*)", "class Abc", "Abc.x");
    check("^class (.*)", "import x;\n\n class No\nclass Abc\nclass Def\n", "Abc.x");
    check("^class (.*)", "import x;\n", "-");
    check("^class (.*)", "", "-");
    check("a$(b)?", "a\nb", "-"); /* the group does not take part */
    check("(a)\n(b)", "a\nb", "-");
    check("^class (.*)", "class A-b\nclass Abc\n", "-"); /* no plain name: no other line counts */
}

CASE(filename_pattern__last_group)
{
    check("(a|b) ((c)+(d))e", "b ccde", "d.x");
    check("(1)(2)(3)(4)(5)(6)(7)(8)(9)", "123456789", "9.x");
}

CASE(filename_pattern__plain_names)
{
    static const char *const names[] = {"",     "a.b",      "a/b", "..",     "-a b",
                                        "a\\b", "\xc3\xa9", "a\r", "{stem}", "a:b"};

    check("<(.*)>", "<Ab_9$>", "Ab_9$.x");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        CLEANUP_FREE char *source = string_format("<%s>", names[i]);

        check("<(.*)>", source, "-");
    }
}

/* With its extension, a name can have as many bytes as a file name. */
CASE(filename_pattern__long_names)
{
    CLEANUP_FREE char *longest = string_format("<%0253d>", 0);
    CLEANUP_FREE char *longer = string_format("<%0254d>", 0);
    CLEANUP_FREE char *expected = string_format("%0253d.x", 0);

    check("<(.*)>", longest, expected);
    check("<(.*)>", longer, "-");
}

CASE(filename_pattern__start_of_lines_and_source)
{
    CLEANUP_FREE char *source = memory_allocate(FILENAME_SOURCE_MAX + 10);
    CLEANUP_FREE char *lines = memory_allocate(FILENAME_LINES_MAX + 10);

    memset(source, ' ', FILENAME_SOURCE_MAX + 10);
    memcpy(source + FILENAME_LINE_MAX - 3, "<a>", 3);
    check_found("<(.*)>", source, FILENAME_LINE_MAX, "a.x");
    memcpy(source + FILENAME_LINE_MAX - 3, " <a>", 4);
    check_found("<(.*)>", source, FILENAME_LINE_MAX + 1, "-");
    memset(source, ' ', FILENAME_LINE_MAX + 1);
    memcpy(source + FILENAME_SOURCE_MAX - 4, "\n<a>", 4);
    check_found("<(.*)>", source, FILENAME_SOURCE_MAX + 10, "a.x");
    memcpy(source + FILENAME_SOURCE_MAX - 4, " \n<a>", 5);
    check_found("<(.*)>", source, FILENAME_SOURCE_MAX + 10, "-");
    memset(lines, '\n', FILENAME_LINES_MAX);
    memcpy(lines + FILENAME_LINES_MAX - 1, "<a>", 3);
    check_found("<(.*)>", lines, FILENAME_LINES_MAX + 2, "a.x");
    memcpy(lines + FILENAME_LINES_MAX - 1, "\n<a>", 4);
    check_found("<(.*)>", lines, FILENAME_LINES_MAX + 3, "-");
    check_found("<(.*)>", "\0<a>\n<b>", 8, "b.x"); /* a NUL ends its line */
}

CASE(filename_pattern__extensions)
{
    struct error error = ERROR_INIT;
    struct filename_pattern *pattern = filename_pattern_new("(b)", &error);
    CLEANUP_FREE char *none = filename_pattern_find(pattern, "b", 1, "main");
    CLEANUP_FREE char *last = filename_pattern_find(pattern, "b", 1, "main.tar.gz");

    assert_string_equal(none, "b");
    assert_string_equal(last, "b.gz");
    assert_null(filename_pattern_find(NULL, "b", 1, "main"));
    filename_pattern_free(pattern);
    filename_pattern_free(NULL);
}

/* The offset of the file stays: the program is sent from there. */
CASE(filename_pattern__file)
{
    struct error error = ERROR_INIT;
    struct filename_pattern *pattern = filename_pattern_new("^class (.*)", &error);
    FILE *file = tmpfile();
    CLEANUP_FREE char *name = NULL;

    fputs("import x\nclass Abc\n", file);
    fflush(file);
    assert_int_equal(lseek(fileno(file), 3, SEEK_SET), 3);
    name = filename_pattern_find_in_file(pattern, fileno(file), "Main.x");
    assert_string_equal(name, "Abc.x");
    assert_int_equal(lseek(fileno(file), 0, SEEK_CUR), 3);
    assert_null(filename_pattern_find_in_file(NULL, fileno(file), "Main.x"));
    assert_null(filename_pattern_find_in_file(pattern, -1, "Main.x"));
    filename_pattern_free(pattern);
    fclose(file);
}

static void check_refused(const char *text, const char *message)
{
    struct error error = ERROR_INIT;

    assert_null(filename_pattern_new(text, &error));
    assert_error(&error, ERROR_USAGE, message);
    error_release(&error);
}

CASE(filename_pattern__wrong_patterns)
{
    CLEANUP_FREE char *longest = string_format("(a)%0997d", 0);
    CLEANUP_FREE char *longer = string_format("(a)%0998d", 0);
    struct error error = ERROR_INIT;

    check(longest, longest, "-");
    assert_null(filename_pattern_new("(a", &error));
    assert_memory_equal(error.message, "not a regular expression: ", 26);
    error_release(&error);
    check_refused(longer, "a pattern can have 1000 bytes at most");
    check_refused("abc", "a pattern needs 1 to 9 groups in parentheses, the last of which is the "
                         "name");
    check_refused("(1)(2)(3)(4)(5)(6)(7)(8)(9)(10)",
                  "a pattern needs 1 to 9 groups in parentheses, the last of which is the name");
}

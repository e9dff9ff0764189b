#include "test.h"

#include "config/input_files.h"

static void add(struct input_files *files, const char *path)
{
    input_files_add(files, path, string_copy("data"), 4);
}

/* Checks the paths against the entrypoint; NULL: they are valid. Releases the files. */
static void check(struct input_files *files, const char *entrypoint, const char *message)
{
    struct error error = ERROR_INIT;
    const int result = input_files_check(files, entrypoint, &error);

    if (message) {
        assert_int_equal(result, -1);
        assert_error(&error, ERROR_INPUT, message);
    } else {
        assert_no_error(&error);
        assert_int_equal(result, 0);
    }
    input_files_release(files);
}

static void check_one(const char *path, const char *entrypoint, const char *message)
{
    struct input_files files = INPUT_FILES_INIT;

    add(&files, path);
    check(&files, entrypoint, message);
}

static void check_two(const char *one, const char *other, const char *message)
{
    struct input_files files = INPUT_FILES_INIT;

    add(&files, one);
    add(&files, other);
    check(&files, "main", message);
}

CASE(input_files__are_added)
{
    struct input_files files = INPUT_FILES_INIT;
    char path[] = "a/b";
    char *data = string_copy("xyz");

    input_files_add(&files, path, data, 3);
    path[0] = '#'; /* it is copied */
    add(&files, "c");
    assert_int_equal(files.count, 2);
    assert_string_equal(files.items[0].path, "a/b");
    assert_ptr_equal(files.items[0].data, data);
    assert_int_equal(files.items[0].length, 3);
    assert_string_equal(files.items[1].path, "c");
    input_files_release(&files);
    assert_int_equal(files.count, 0);
    assert_null(files.items);
}

CASE(input_files__release_is_legal_at_once_and_again)
{
    struct input_files files = INPUT_FILES_INIT;

    input_files_release(&files);
    add(&files, "a");
    input_files_release(&files);
    input_files_release(&files);
}

CASE(input_files__none_beside_the_entrypoint)
{
    struct input_files files = INPUT_FILES_INIT;

    check(&files, "main.py", NULL);
}

CASE(input_files__side_by_side)
{
    check_one("b", "a", NULL);
    check_one("src/b", "src/a", NULL);
    check_one("main.py.txt", "main.py", NULL);
    check_two("a/b", "a/c", NULL);
    check_two("a", "aa/b", NULL);
    check_two("a/b", "b", NULL);
    check_two("a", "A", NULL);
    check_two("a/b/c/d", "a/b/c/e/f", NULL);
}

CASE(input_files__follow_the_rule_for_paths)
{
    check_one("../a", "main", "'../a' must not have '..', '.' or empty parts");
    check_one("/a", "main", "'/a' must be relative to the directory");
    check_one("", "main", "'' must not have '..', '.' or empty parts");
    check_two("good", "a/", "'a/' must not have '..', '.' or empty parts");
}

CASE(input_files__twice)
{
    check_one("main.py", "main.py", "two files have the name 'main.py'");
    check_two("a/b", "a/b", "two files have the name 'a/b'");
    check_two("a\n", "a\n", "two files have the name 'a\\n'");
}

#define BOTH " is the name of a file and of a directory of other files"

CASE(input_files__file_and_directory)
{
    check_two("a", "a/b", "'a'" BOTH);
    check_two("a/b", "a", "'a'" BOTH);
    check_two("a/b/c/d/e", "a/b", "'a/b'" BOTH);
    check_two("x\x1b", "x\x1b/y", "'x\\x1b'" BOTH);
    check_one("main.py/x", "main.py", "'main.py'" BOTH);
    check_one("src", "src/main.py", "'src'" BOTH);
}

/*
 * Sorted by bytes, other names come between a name and the paths below it: '-' and '.' precede '/'.
 */
CASE(input_files__file_and_directory_with_names_between)
{
    struct input_files files = INPUT_FILES_INIT;

    add(&files, "a/b");
    add(&files, "a-");
    add(&files, "a.c");
    add(&files, "a");
    check(&files, "main", "'a'" BOTH);
}

/* Comparing deep paths takes no longer than comparing flat ones. */
CASE(input_files__many_and_deep)
{
    struct strbuf deep = STRBUF_INIT;
    struct input_files files = INPUT_FILES_INIT;

    while (deep.length < 3990)
        strbuf_addstr(&deep, "d/");
    for (int i = 0; i < 5000; i++) {
        CLEANUP_FREE char *path = string_format("%s%d", strbuf_string(&deep), i);
        add(&files, path);
    }
    strbuf_release(&deep);
    add(&files, "d/d");
    check(&files, "main", "'d/d'" BOTH);
}

CASE(input_files__many)
{
    struct input_files files = INPUT_FILES_INIT;

    for (int i = 0; i < 20000; i++) {
        CLEANUP_FREE char *path = string_format("dir%d/file%d", i % 100, i);
        add(&files, path);
    }
    assert_int_equal(files.count, 20000);
    check(&files, "main", NULL);
}

static void check_path(const char *path, const char *expected, const char *message)
{
    struct error error = ERROR_INIT;
    CLEANUP_FREE char *got = input_files_path(path, "/workspace", &error);

    if (message) {
        assert_null(got);
        assert_error(&error, ERROR_INPUT, message);
        return;
    }
    assert_no_error(&error);
    assert_string_equal(got, expected);
}

CASE(input_files__spellings_of_a_path)
{
    check_path("d.csv", "d.csv", NULL);
    check_path("./d.csv", "d.csv", NULL);
    check_path("././/d.csv", "d.csv", NULL);
    check_path("/workspace/d.csv", "d.csv", NULL);
    check_path("/workspace//./sub/d.csv", "sub/d.csv", NULL);
    check_path("workspace/d.csv", "workspace/d.csv", NULL);
    check_path("/workspaces/d.csv", NULL, "'/workspaces/d.csv' must be relative to the directory");
    check_path("/etc/passwd", NULL, "'/etc/passwd' must be relative to the directory");
    check_path("/workspace/../etc", NULL, "'../etc' must not have '..', '.' or empty parts");
    check_path("./../x", NULL, "'../x' must not have '..', '.' or empty parts");
    check_path("/workspace", NULL, "'/workspace' must be relative to the directory");
    check_path("/workspace/", NULL, "'' must not have '..', '.' or empty parts");
    check_path("./", NULL, "'' must not have '..', '.' or empty parts");
}

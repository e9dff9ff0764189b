#include "test.h"

#include <errno.h>

#include "base/file_replace.h"

static int count_entries(const char *directory)
{
    DIR *dir = opendir(directory);
    int count = 0;

    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count - 2; /* . and .. */
}

static void file_replace__writes_a_new_file(void **state)
{
    char *directory = temp_create();
    CLEANUP_FREE char *path = path_in(directory, "a/b/file");
    CLEANUP_FREE char *parent = path_in(directory, "a/b");
    struct stat status;

    (void)state;
    file_make_directories(path);
    assert_int_equal(stat(parent, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0700);
    assert_int_equal(file_replace(path, "x\0y", 3, NULL), 0);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_int_equal(status.st_size, 3);
    assert_int_equal(count_entries(parent), 1);
    temp_remove(directory);
}

static void file_replace__keeps_permissions(void **state)
{
    char *directory = temp_create();
    CLEANUP_FREE char *path = path_in(directory, "file");
    CLEANUP_FREE char *got = NULL;
    struct stat status;

    (void)state;
    write_in(directory, "file", "old");
    assert_int_equal(chmod(path, 0640), 0);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(file_replace(path, "new", 3, &status), 0);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    got = read_in(directory, "file");
    assert_string_equal(got, "new");
    temp_remove(directory);
}

static void file_replace__failure_leaves_nothing(void **state)
{
    char *directory = temp_create();
    CLEANUP_FREE char *path = path_in(directory, "is/a/directory");
    CLEANUP_FREE char *parent = path_in(directory, "is/a");

    (void)state;
    file_make_directories(path);
    assert_int_equal(mkdir(path, 0700), 0);
    errno = 0;
    assert_int_equal(file_replace(path, "new", 3, NULL), -1);
    assert_int_equal(errno, EISDIR);
    assert_int_equal(count_entries(parent), 1);
    temp_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_replace__writes_a_new_file),
        cmocka_unit_test(file_replace__keeps_permissions),
        cmocka_unit_test(file_replace__failure_leaves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}

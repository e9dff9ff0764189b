#include "test.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

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

CASE(file_replace__writes_a_new_file)
{
    char *directory = temp_create();
    CLEANUP_FREE char *path = path_in(directory, "a/b/file");
    CLEANUP_FREE char *parent = path_in(directory, "a/b");
    struct stat status;

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

CASE(file_replace__keeps_permissions)
{
    char *directory = temp_create();
    CLEANUP_FREE char *path = path_in(directory, "file");
    CLEANUP_FREE char *got = NULL;
    struct stat status;

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

CASE(file_replace__failure_leaves_nothing)
{
    char *directory = temp_create();
    CLEANUP_FREE char *path = path_in(directory, "is/a/directory");
    CLEANUP_FREE char *parent = path_in(directory, "is/a");

    file_make_directories(path);
    assert_int_equal(mkdir(path, 0700), 0);
    errno = 0;
    assert_int_equal(file_replace(path, "new", 3, NULL), -1);
    assert_int_equal(errno, EISDIR);
    assert_int_equal(count_entries(parent), 1);
    temp_remove(directory);
}

CASE(file_write__replaces_the_content)
{
    char *directory = temp_create();
    CLEANUP_FREE char *path = path_in(directory, "file");
    CLEANUP_FREE char *got = NULL;

    write_in(directory, "file", "longer than the new one");
    assert_int_equal(file_write(path, "new", 3), 0);
    got = read_in(directory, "file");
    assert_string_equal(got, "new");
    temp_remove(directory);
}

/* A device stays if it takes nothing, and so does a symbolic link to it. */
CASE(file_write__keeps_a_device)
{
    char *directory = temp_create();
    CLEANUP_FREE char *path = path_in(directory, "link");

    assert_int_equal(symlink("/dev/full", path), 0);
    errno = 0;
    assert_int_equal(file_write(path, "new", 3), -1);
    assert_int_equal(errno, ENOSPC);
    assert_int_equal(count_entries(directory), 1);
    temp_remove(directory);
}

/* Of a file that cannot be written whole, nothing remains. */
CASE(file_write__leaves_no_part)
{
    const struct rlimit small = {4, RLIM_INFINITY}, none = {RLIM_INFINITY, RLIM_INFINITY};
    char *directory = temp_create();
    CLEANUP_FREE char *path = path_in(directory, "file");
    int result, failure;

    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    result = file_write(path, "too long", 8);
    failure = errno;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    assert_int_equal(result, -1);
    assert_int_equal(failure, EFBIG);
    assert_int_equal(count_entries(directory), 0);
    temp_remove(directory);
}

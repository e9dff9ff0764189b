#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "config/config_files.h"
#include "config/state_files.h"

/* A directory, with the state in "state" and one more, "other". */
static char *set_up(void)
{
    char *directory = temp_create();
    CLEANUP_FREE char *state = string_format("%s/state", directory);
    CLEANUP_FREE char *other = string_format("%s/other", directory);

    assert_int_equal(mkdir(other, 0700), 0);
    setenv("XDG_STATE_HOME", state, 1);
    return directory;
}

/* What the opening gives: an errno, or 0. */
static int outcome(const char *name, int flags)
{
    CLEANUP_FREE char *path = config_state(name);
    CLEANUP_FD const int fd = state_file_open(path, flags);

    return fd >= 0 ? 0 : errno;
}

static void link_to(const char *target, const char *directory, const char *name)
{
    CLEANUP_FREE char *path = string_format("%s/%s", directory, name);

    assert_int_equal(symlink(target, path), 0);
}

/* How many entries `other` has. */
static void check_untouched(const char *directory)
{
    CLEANUP_FREE char *other = string_format("%s/other", directory);

    assert_int_equal(rmdir(other), 0);
    assert_int_equal(mkdir(other, 0700), 0);
}

CASE(state_file__is_made_with_its_directories)
{
    char *directory = set_up();
    CLEANUP_FREE char *path = config_state("jobs/one");
    struct stat status;

    assert_int_equal(outcome("jobs/one", O_RDWR), ENOENT);
    assert_int_equal(outcome("jobs/one", O_RDWR | O_CREAT), 0);
    assert_int_equal(outcome("jobs/one", O_RDWR | O_CREAT | O_EXCL), EEXIST);
    assert_int_equal(outcome("jobs/one", O_RDWR), 0);
    assert_int_equal(outcome("jobs/one/more", O_RDWR), ENOTDIR);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0600);
    temp_remove(directory);
}

CASE(state_file__that_is_a_link)
{
    char *directory = set_up();

    assert_int_equal(outcome("jobs/one", O_RDWR | O_CREAT), 0);
    link_to("../../../other/new", directory, "state/isolator/jobs/two");
    assert_int_equal(outcome("jobs/two", O_RDWR | O_CREAT), ELOOP);
    assert_int_equal(outcome("jobs/two", O_RDWR), ELOOP);
    check_untouched(directory);
    temp_remove(directory);
}

CASE(state_file__below_a_link)
{
    char *directory = set_up();

    assert_int_equal(outcome("one", O_RDWR | O_CREAT), 0);
    link_to("../../other", directory, "state/isolator/jobs");
    assert_int_equal(outcome("jobs/one", O_RDWR | O_CREAT), ELOOP);
    assert_int_equal(outcome("jobs/one", O_RDWR), ELOOP);
    check_untouched(directory);
    temp_remove(directory);

    directory = set_up();
    link_to("other", directory, "state");
    link_to(".", directory, "other/isolator");
    assert_int_equal(outcome("one", O_RDWR | O_CREAT), ELOOP);
    temp_remove(directory);
}

/* The directory of the state itself may be elsewhere. */
CASE(state_file__above_is_a_link)
{
    char *directory = set_up();

    link_to("other", directory, "state");
    assert_int_equal(outcome("jobs/one", O_RDWR | O_CREAT), 0);
    temp_remove(directory);
}

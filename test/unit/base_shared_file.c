#include "test.h"

#include <errno.h>

#include "base/linux.h"
#include "base/shared_file.h"

static struct shared_file *create(void)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct shared_file *file = shared_file_create(&error);

    assert_non_null(file);
    return file;
}

CASE(shared_file__reads_and_writes_at_offsets)
{
    struct shared_file *file = create();
    char data[6] = "";

    assert_int_equal(shared_file_write(file, 3, "def", 3), 0);
    assert_int_equal(shared_file_write(file, 0, "abc", 3), 0);
    assert_int_equal(shared_file_read(file, 1, data, 4), 0);
    assert_string_equal(data, "bcde");
    assert_int_equal(shared_file_read(file, 6, data, 0), 0);
    assert_int_equal(shared_file_read(file, 2, data, 5), -1);
    assert_int_equal(errno, ENODATA);
    assert_int_equal(shared_file_truncate(file, 2), 0);
    assert_int_equal(shared_file_read(file, 2, data, 1), -1);
    shared_file_release(file);
}

CASE(shared_file__is_closed_with_its_last_reference)
{
    struct shared_file *file = create();
    const int fd = shared_file_fd(file);

    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    assert_ptr_equal(shared_file_share(file), file);
    shared_file_release(file);
    assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
    shared_file_release(file);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    shared_file_release(NULL);
}

CASE(shared_file__a_file_that_cannot_be_written)
{
    struct shared_file *file = shared_file_new(open("/dev/null", O_RDONLY | O_CLOEXEC));

    assert_int_equal(shared_file_write(file, 0, "x", 1), -1);
    assert_int_equal(errno, EBADF);
    shared_file_release(file);
}

/* The file system of a descriptor, as far as it tells the disk from memory. */
static dev_t device_of(int fd)
{
    struct stat status;

    assert_int_equal(fstat(fd, &status), 0);
    assert_int_equal(status.st_nlink, 0);
    return status.st_dev;
}

CASE(shared_file__is_in_the_temporary_directory)
{
    char *directory = temp_create();
    struct stat status;
    CLEANUP_FD int memory = linux_unnamed_file();
    CLEANUP_FD int disk = -1;
    CLEANUP_FD int fallback = -1;

    assert_int_equal(stat(directory, &status), 0);
    setenv("TMPDIR", directory, 1);
    disk = linux_unnamed_disk_file();
    setenv("TMPDIR", "/nowhere", 1);
    fallback = linux_unnamed_disk_file();
    unsetenv("TMPDIR");
    assert_int_equal(device_of(disk), status.st_dev);
    assert_int_equal(fcntl(disk, F_GETFD), FD_CLOEXEC);
    assert_int_equal(device_of(fallback), device_of(memory));
    assert_int_equal(rmdir(directory), 0); /* nothing is left in it */
    free(directory);
}

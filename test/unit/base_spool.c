#include "test.h"

#include "base/linux.h"
#include "base/memory.h"
#include "base/spool.h"

/* The read end of a pipe that contains this text and then ends. */
static int pipe_with(const char *text)
{
    int ends[2];

    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, strlen(text)), strlen(text));
    close(ends[1]);
    return ends[0];
}

static void check_spooled(const char *text, long long max)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FD int from = pipe_with(text);
    CLEANUP_FD int file = spool_copy(from, max, "stdin", NULL, &error);
    struct strbuf content;

    assert_no_error(&error);
    assert_true(file >= 0);
    assert_int_equal(fcntl(file, F_GETFD), FD_CLOEXEC);
    assert_int_equal(lseek(file, 0, SEEK_SET), 0);
    content = read_all(file);
    assert_string_equal(strbuf_string(&content), text);
    strbuf_release(&content);
}

CASE(spool__pipe)
{
    CLEANUP_FREE char *text = memory_allocate(60001);

    memset(text, 's', 60000);
    text[60000] = '\0';
    check_spooled("", 0);
    check_spooled("text", 4);
    check_spooled("text", 1000);
    check_spooled(text, 60000);
}

CASE(spool__that_is_too_large)
{
    struct error error = ERROR_INIT;
    CLEANUP_FD int from = pipe_with("text");

    assert_int_equal(spool_copy(from, 3, "stdin", NULL, &error), -1);
    assert_error(&error, ERROR_INPUT, "stdin is larger than 3 bytes");
}

/* The size of a file is known before, so nothing is copied. */
CASE(spool__of_a_file_that_is_too_large)
{
    struct error error = ERROR_INIT;
    CLEANUP_FD int from = linux_unnamed_file();

    assert_int_equal(ftruncate(from, 5), 0);
    assert_int_equal(lseek(from, 1, SEEK_SET), 1);
    assert_int_equal(spool_copy(from, 3, "stdin", NULL, &error), -1);
    assert_error(&error, ERROR_INPUT, "stdin is larger than 3 bytes");
    assert_int_equal(lseek(from, 0, SEEK_CUR), 1);
}

CASE(spool__that_cannot_be_read)
{
    struct error error = ERROR_INIT;
    CLEANUP_FD int from = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    assert_int_equal(spool_copy(from, 3, "stdin", NULL, &error), -1);
    assert_error(&error, ERROR_INPUT, "cannot read stdin: Is a directory");
}

CASE(spool__is_cancelled)
{
    struct notifier cancel = NOTIFIER_INIT;
    struct error error = ERROR_INIT;
    int ends[2];

    assert_int_equal(pipe(ends), 0); /* it has no data and no end */
    assert_int_equal(notifier_open(&cancel, &error), 0);
    notifier_raise(&cancel);
    assert_int_equal(spool_copy(ends[0], 3, "stdin", &cancel, &error), -1);
    assert_error(&error, ERROR_CANCELLED, "cancelled while stdin was read");
    notifier_release(&cancel);
    close(ends[0]);
    close(ends[1]);
}

CASE(spool__to_the_disk)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    char *directory = temp_create();
    CLEANUP_FD int from = pipe_with("text");
    CLEANUP_FD int file = -1;
    struct strbuf content;

    setenv("TMPDIR", directory, 1);
    file = spool_copy_to_disk(from, "stdin", NULL, &error);
    unsetenv("TMPDIR");
    assert_no_error(&error);
    assert_int_equal(fcntl(file, F_GETFD), FD_CLOEXEC);
    content = read_all(file);
    assert_string_equal(strbuf_string(&content), "text");
    strbuf_release(&content);
    assert_int_equal(rmdir(directory), 0); /* the file has no name */
    free(directory);
}

CASE(spool__to_a_disk_that_is_not_there)
{
    struct error error = ERROR_INIT;
    CLEANUP_FD int from = pipe_with("text");

    setenv("TMPDIR", "/nonexistent", 1);
    assert_int_equal(spool_copy_to_disk(from, "stdin", NULL, &error), -1);
    unsetenv("TMPDIR");
    assert_error(&error, ERROR_SYSTEM,
                 "cannot create a file in '/nonexistent': No such file or directory");
}

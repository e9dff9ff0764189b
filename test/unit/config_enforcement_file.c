#include "test.h"

#include "config/enforcement_file.h"

CASE(enforcement_file__is_there_until_it_is_removed)
{
    struct error error = ERROR_INIT;
    char *directory = temp_create();

    setenv("XDG_STATE_HOME", directory, 1);
    assert_false(enforcement_file_exists("Docker 1"));
    assert_int_equal(enforcement_file_write("Docker 1", &error), 0);
    assert_int_equal(enforcement_file_write("Docker 1", &error), 0);
    assert_true(enforcement_file_exists("Docker 1"));
    assert_false(enforcement_file_exists("Docker 2"));
    enforcement_file_remove("Docker 2");
    assert_true(enforcement_file_exists("Docker 1"));
    enforcement_file_remove("Docker 1");
    assert_false(enforcement_file_exists("Docker 1"));
    temp_remove(directory);
}

CASE(enforcement_file__below_a_link)
{
    struct error error = ERROR_INIT;
    char *directory = temp_create();
    CLEANUP_FREE char *own = string_format("%s/isolator", directory);
    CLEANUP_FREE char *expected =
        string_format("cannot write '%s/enforced/"
                      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855': Too many "
                      "levels of symbolic links",
                      own);

    setenv("XDG_STATE_HOME", directory, 1);
    assert_int_equal(symlink(".", own), 0);
    assert_int_equal(enforcement_file_write("", &error), -1);
    assert_error(&error, ERROR_SYSTEM, expected);
    temp_remove(directory);
}

CASE(enforcement_file__cannot_be_written)
{
    struct error error = ERROR_INIT;

    setenv("XDG_STATE_HOME", "/dev/null", 1);
    assert_int_equal(enforcement_file_write("", &error), -1);
    assert_error(&error, ERROR_SYSTEM,
                 "cannot write '/dev/null/isolator/enforced/"
                 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855': Not a "
                 "directory");
}

#include "test.h"

#include <errno.h>

static const char *shout(const char *subject)
{
    return strcmp(subject, "memoryMB") == 0 ? "--memory" : NULL;
}

CASE(error__is_set_and_released)
{
    struct error error = ERROR_INIT;

    assert_int_equal(error_set(&error, ERROR_INPUT, "no file '%s'", "x"), -1);
    assert_int_equal(error_prefix(&error, "line %d", 3), -1);
    assert_int_equal(error_hint(&error, "make one"), -1);
    assert_error(&error, ERROR_INPUT, "line 3: no file 'x'; make one");
    assert_int_equal(error.kind, ERROR_NONE);
    assert_null(error.message);
}

CASE(error__of_errno)
{
    struct error error = ERROR_INIT;

    errno = ENOENT;
    assert_int_equal(error_set_errno(&error, ERROR_INPUT, "cannot open 'x'"), -1);
    assert_error(&error, ERROR_INPUT, "cannot open 'x': No such file or directory");
    errno = EMFILE;
    assert_int_equal(error_set_errno(&error, ERROR_INPUT, "cannot open 'x'"), -1);
    assert_error(&error, ERROR_SYSTEM, "cannot open 'x': Too many open files");
}

CASE(error__names_its_subject)
{
    struct error error = ERROR_INIT;

    error_set(&error, ERROR_USAGE, "raise " ERROR_SUBJECT " (maximums.memoryMB)");
    assert_int_equal(error_about(&error, "memoryMB"), -1);
    assert_string_equal(error.message, "raise memoryMB (maximums.memoryMB)");
    error_prefix(&error, "memoryMB");
    error_hint(&error, "or memoryMB");
    error_name_subject(&error, shout);
    assert_error(&error, ERROR_USAGE, "memoryMB: raise --memory (maximums.memoryMB); or memoryMB");
    assert_null(error.subject);
}

/* A front end that has no name of its own for the subject leaves the message as it is. */
CASE(error__keeps_a_subject_without_another_name)
{
    struct error error = ERROR_INIT;

    error_set(&error, ERROR_USAGE, ERROR_SUBJECT " is wrong");
    error_about(&error, "cpus");
    error_name_subject(&error, shout);
    assert_error(&error, ERROR_USAGE, "cpus is wrong");
    error_set(&error, ERROR_USAGE, "memoryMB is wrong");
    error_name_subject(&error, shout);
    assert_error(&error, ERROR_USAGE, "memoryMB is wrong");
}

/* A subject that was named is not named again. */
CASE(error__names_its_subject_once)
{
    struct error error = ERROR_INIT;

    error_set(&error, ERROR_USAGE, ERROR_SUBJECT " is wrong");
    error_about(&error, "memoryMB");
    error_name_subject(&error, shout);
    error_name_subject(&error, shout);
    assert_error(&error, ERROR_USAGE, "--memory is wrong");
}

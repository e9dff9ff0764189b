#include "test.h"

#include "network/terminator.h"
#include "network/terminator_wire.h"

/* The program itself is in the tests of tls. */

static void check_version(uint64_t version, const char *expected)
{
    struct error error = ERROR_INIT;

    assert_int_equal(terminator_check_version(version, &error), -1);
    assert_int_equal(error.kind, ERROR_CONFIG);
    assert_string_equal(error.message, expected);
    error_release(&error);
}

/* Version 0 is an isolator-tls that says none. */
CASE(terminator__other_versions)
{
    struct error error = ERROR_INIT;

    assert_int_equal(terminator_check_version(TERMINATOR_VERSION, &error), 0);
    check_version(0, "isolator-tls has version 0, isolator needs 1; install both from the same "
                     "package");
    check_version(2, "isolator-tls has version 2, isolator needs 1; install both from the same "
                     "package");
    check_version(UINT64_MAX, "isolator-tls has version 18446744073709551615, isolator needs 1; "
                              "install both from the same package");
}

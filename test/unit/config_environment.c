#include "test.h"

#include "config/environment.h"

CASE(environment__names)
{
    static const char *const good[] = {"A",  "a",  "_",    "_1",        "PATH",
                                       "a1", "__", "Zz_9", "LONG_NAME", "A0_"};
    static const char *const bad[] = {"",     "1",     "1A",       "A B",   "A-B", "A.B", "A=B",
                                      " A",   "A ",    "\xc3\xa9", "A\xff", "A\n", "A'",  "$A",
                                      "A[0]", "A\x01", "-",        "()",    "A+",  "9"};

    for (size_t i = 0; i < COUNT(good); i++)
        if (!environment_is_name(good[i], strlen(good[i])))
            fail_msg("'%s' is no name", good[i]);
    for (size_t i = 0; i < COUNT(bad); i++)
        if (environment_is_name(bad[i], strlen(bad[i])))
            fail_msg("'%s' is a name", bad[i]);
}

CASE(environment__name_is_the_first_bytes)
{
    assert_true(environment_is_name("A=B", 1));
    assert_true(environment_is_name("NAME=1 2", 4));
    assert_false(environment_is_name("NAME=1 2", 5));
    assert_false(environment_is_name("=B", 0));
    assert_false(environment_is_name("A", 0));
    assert_false(environment_is_name("A", 2)); /* not past the end */
    assert_false(environment_is_name("", 1));
}

CASE(environment__every_byte)
{
    for (unsigned byte = 1; byte < 256; byte++) {
        const char name[] = {'A', (char)byte, '\0'};
        const bool letter = (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') ||
                            (byte >= '0' && byte <= '9') || byte == '_';

        assert_int_equal(environment_is_name(name, 2), letter);
        assert_int_equal(environment_is_name(name + 1, 1), letter && (byte < '0' || byte > '9'));
    }
}

static void check(const struct strvec *environment, const char *expected)
{
    CLEANUP_FREE char *joined = strvec_join(environment, "|");

    assert_string_equal(joined, expected);
}

CASE(environment__set_adds_and_replaces_in_place)
{
    CLEANUP(strvec_release) struct strvec environment = STRVEC_INIT;

    environment_set(&environment, "A=1");
    environment_set(&environment, "B=2");
    environment_set(&environment, "C=3");
    check(&environment, "A=1|B=2|C=3");
    environment_set(&environment, "B=two");
    check(&environment, "A=1|B=two|C=3");
    environment_set(&environment, "A=");
    check(&environment, "A=|B=two|C=3");
    environment_set(&environment, "C=x=y=z");
    check(&environment, "A=|B=two|C=x=y=z");
    assert_int_equal(environment.count, 3);
    assert_null(environment.items[3]);
}

CASE(environment__set_compares_whole_names)
{
    CLEANUP(strvec_release) struct strvec environment = STRVEC_INIT;

    environment_set(&environment, "PATH=1");
    environment_set(&environment, "PATH_2=2");
    environment_set(&environment, "PAT=3");
    environment_set(&environment, "path=4");
    check(&environment, "PATH=1|PATH_2=2|PAT=3|path=4");
    environment_set(&environment, "PATH_2=two");
    check(&environment, "PATH=1|PATH_2=two|PAT=3|path=4");
}

CASE(environment__set_copies)
{
    CLEANUP(strvec_release) struct strvec environment = STRVEC_INIT;
    char assignment[] = "A=1";

    environment_set(&environment, assignment);
    assignment[2] = '9';
    check(&environment, "A=1");
    environment_set(&environment, assignment);
    assignment[2] = '8';
    check(&environment, "A=9");
}

#include "test.h"

#include "mcp/uri.h"

static void check(const char *path, const char *expected)
{
    CLEANUP_FREE char *uri = uri_of("isolator://x/", path);
    CLEANUP_FREE char *back = uri_decode(expected + strlen("isolator://x/"));

    assert_string_equal(uri, expected);
    assert_string_equal(back, path);
}

CASE(uri__encodes_and_decodes)
{
    check("files/a-b_c.~d", "isolator://x/files/a-b_c.~d");
    check("a b%c?d#e&f=g+h", "isolator://x/a%20b%25c%3Fd%23e%26f%3Dg%2Bh");
    check("caf\xc3\xa9", "isolator://x/caf%C3%A9");
}

CASE(uri__invalid_escapes)
{
    static const char *const bad[] = {"%", "%4", "%4g", "%g4", "a%00b"};

    for (size_t i = 0; i < COUNT(bad); i++)
        assert_null(uri_decode(bad[i]));
}

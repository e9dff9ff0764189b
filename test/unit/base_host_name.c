#include "test.h"

#include "base/host_name.h"

/* 63 characters: the longest label. */
#define LABEL "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghijk"

/* 253 characters: the longest name. */
#define LONGEST                                                                                    \
    LABEL "." LABEL "." LABEL "."                                                                  \
          "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyzabcdefghi"

static void check(const char *text, const char *expected)
{
    char name[HOST_NAME_SIZE];

    if (!host_name_read(text, strlen(text), name))
        fail_msg("'%s' is refused", text);
    assert_string_equal(name, expected);
}

static void check_refused(const char *text, size_t length)
{
    char name[HOST_NAME_SIZE];

    if (host_name_read(text, length, name))
        fail_msg("'%s' is taken, as '%s'", text, name);
}

CASE(host_name__names)
{
    check("example.com", "example.com");
    check("EXAMPLE.Com", "example.com");
    check("example.com.", "example.com");
    check("localhost", "localhost");
    check("xn--bcher-kva.example", "xn--bcher-kva.example");
    check("_dmarc.a-b.example", "_dmarc.a-b.example");
    check("1.2.3.4.example", "1.2.3.4.example");
    check("0xg", "0xg");
    check("1a", "1a");
    check(LABEL ".example", LABEL ".example");
    check(LONGEST, LONGEST);
    check(LONGEST ".", LONGEST);
}

CASE(host_name__addresses)
{
    check("192.0.2.1", "192.0.2.1");
    check("192.0.2.1.", "192.0.2.1");
    check("[::1]", "::1");
    check("[2001:DB8:0:0:0:0:0:1]", "2001:db8::1");
    check("[::ffff:127.0.0.1]", "::ffff:127.0.0.1");
}

CASE(host_name__no_names)
{
    static const char *const bad[] = {"",
                                      ".",
                                      "..",
                                      ".a",
                                      "a..b",
                                      "a..",
                                      " a",
                                      "a ",
                                      "a b",
                                      "a/b",
                                      "a\\b",
                                      "a@b",
                                      "a:80",
                                      "a\r\nb",
                                      "a%2eb",
                                      "b\xc3\xbc",
                                      "*.a",
                                      "a,b",
                                      "a#b",
                                      "a?b",
                                      "[a]",
                                      "::1",
                                      "[::1",
                                      "::1]",
                                      "[]",
                                      "[",
                                      "]",
                                      "[::1].",
                                      "[::1]x",
                                      "[::1%lo]",
                                      "[1.2.3.4]",
                                      "[::1]:80",
                                      "[[::1]]",
                                      "2001:db8::1",
                                      "[0000:0000:0000:0000:0000:0000:0000:0000:0000:0000]"};

    for (size_t i = 0; i < COUNT(bad); i++)
        check_refused(bad[i], strlen(bad[i]));
    check_refused("a\0b", 3);
    check_refused("a\0", 2);
    check_refused("[::1\0]", 6);
    check_refused("\0", 1);
    check_refused(LABEL "x.example", strlen(LABEL "x.example"));
    check_refused(LONGEST "x", strlen(LONGEST "x"));
}

/* What inet_aton(3) and browsers take for an address. */
CASE(host_name__numbers)
{
    static const char *const bad[] = {
        "0x7f.1",        "2130706433", "127.1",        "010.0.0.1", "0x7f000001",
        "0X7F.1",        "0x",         "127.0.0.0x1",  "1.2.3.4.5", "256.1.1.1",
        "127.0.0.1.0x.", "example.1",  "example.0x1f", "1.2.3",     "0"};

    for (size_t i = 0; i < COUNT(bad); i++)
        check_refused(bad[i], strlen(bad[i]));
}

/* The bytes after the name are not read. */
CASE(host_name__length)
{
    char name[HOST_NAME_SIZE];

    assert_true(host_name_read("example.com:80", 11, name));
    assert_string_equal(name, "example.com");
    assert_true(host_name_read("[::1]:80", 5, name));
    assert_string_equal(name, "::1");
}

CASE(host_name__is_address)
{
    struct ip_address address;
    char text[IP_ADDRESS_SIZE];

    assert_true(host_name_is_address("192.0.2.1", &address));
    ip_address_text(&address, text);
    assert_string_equal(text, "192.0.2.1");
    assert_true(host_name_is_address("2001:db8::a", &address));
    ip_address_text(&address, text);
    assert_string_equal(text, "2001:db8::a");
    assert_false(host_name_is_address("example.com", &address));
    assert_false(host_name_is_address("*.example.com", &address));
    assert_false(host_name_is_address("-", &address));
}

CASE(host_name__matches)
{
    static const struct {
        const char *name, *pattern;
        bool expected;
    } rows[] = {{"example.com", "example.com", true},
                {"www.example.com", "example.com", false},
                {"example.com", "www.example.com", false},
                {"www.example.com", "*.example.com", true},
                {"a.b.example.com", "*.example.com", true},
                {"example.com", "*.example.com", false},
                {"badexample.com", "*.example.com", false},
                {"www.example.com.evil.org", "*.example.com", false},
                {"192.0.2.1", "192.0.2.1", true},
                {"192.0.2.1", "192.0.2.2", false},
                {"192.0.2.1", "*.2.1", false},
                {"2001:db8::1", "2001:db8::1", true},
                {"com", "*.com", false}};

    for (size_t i = 0; i < COUNT(rows); i++)
        if (host_name_matches(rows[i].name, rows[i].pattern) != rows[i].expected)
            fail_msg("'%s' and '%s'", rows[i].name, rows[i].pattern);
}

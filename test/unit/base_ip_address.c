#include "test.h"

#include <sys/socket.h>

#include "base/ip_address.h"

CASE(ip_address__canonical_text)
{
    static const struct {
        const char *text, *expected;
    } rows[] = {{"192.0.2.1", "192.0.2.1"},
                {"0.0.0.0", "0.0.0.0"},
                {"255.255.255.255", "255.255.255.255"},
                {"2001:DB8:0:0:0:0:0:1", "2001:db8::1"},
                {"2001:0db8::0001", "2001:db8::1"},
                {"::", "::"},
                {"0:0:0:0:0:0:0:1", "::1"},
                {"::ffff:1.2.3.4", "::ffff:1.2.3.4"},
                {"::ffff:102:304", "::ffff:1.2.3.4"},
                {"1:0:0:2:0:0:0:3", "1:0:0:2::3"}};
    struct ip_address address;
    char text[IP_ADDRESS_SIZE];

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (!ip_address_parse(rows[i].text, &address))
            fail_msg("'%s' is refused", rows[i].text);
        assert_int_equal(address.family, strchr(rows[i].text, ':') ? AF_INET6 : AF_INET);
        ip_address_text(&address, text);
        assert_string_equal(text, rows[i].expected);
    }
}

CASE(ip_address__no_addresses)
{
    static const char *const bad[] = {
        "",          "1",          "127.1",    "1.2.3",      "1.2.3.4.5",   "1.2.3.256",
        "010.0.0.1", "0x7f.0.0.1", "1.2.3.4 ", " 1.2.3.4",   "1.2.3.",      "1.2.3.-4",
        "[::1]",     "::1%lo",     "1::2::3",  "1:2:3",      "::12345",     "1:2:3:4:5:6:7:8:9",
        ":::",       "::g",        "::1.2.3",  "::01.2.3.4", "example.com", "2130706433"};
    struct ip_address address;

    for (size_t i = 0; i < COUNT(bad); i++)
        if (ip_address_parse(bad[i], &address))
            fail_msg("'%s' is taken", bad[i]);
}

static void check_equal(const char *one, const char *other, bool expected)
{
    struct ip_address a, b;

    assert_true(ip_address_parse(one, &a));
    assert_true(ip_address_parse(other, &b));
    if (ip_address_equal(&a, &b) != expected)
        fail_msg("%s and %s", one, other);
}

CASE(ip_address__equal)
{
    check_equal("192.0.2.1", "192.0.2.1", true);
    check_equal("192.0.2.1", "192.0.2.2", false);
    check_equal("2001:db8::1", "2001:db8:0::1", true);
    check_equal("2001:db8::1", "2001:db8::2", false);
    check_equal("0.0.0.0", "::", false);
    check_equal("1.2.3.4", "::ffff:1.2.3.4", false);
}

/* Only the first 4 bytes of an address of IPv4 count. */
CASE(ip_address__equal_without_the_rest)
{
    struct ip_address a = {.family = AF_INET, .bytes = {1, 2, 3, 4, 5}};
    struct ip_address b = {.family = AF_INET, .bytes = {1, 2, 3, 4, 6}};

    assert_true(ip_address_equal(&a, &b));
}

CASE(ip_range__forms)
{
    static const struct {
        const char *text;
        unsigned bits;
    } rows[] = {{"10.1.2.0/24", 24}, {"0.0.0.0/0", 0}, {"10.1.2.3", 32},      {"10.1.2.3/32", 32},
                {"10.1.2.2/31", 31}, {"::/0", 0},      {"2001:db8::/32", 32}, {"::1", 128},
                {"::1/128", 128},    {"fe80::/10", 10}};
    struct ip_range range;

    for (size_t i = 0; i < COUNT(rows); i++) {
        if (!ip_range_parse(rows[i].text, &range))
            fail_msg("'%s' is refused", rows[i].text);
        assert_int_equal(range.bits, rows[i].bits);
    }
}

CASE(ip_range__no_ranges)
{
    static const char *const bad[] = {"",
                                      "/",
                                      "/8",
                                      "10.0.0.0/",
                                      "10.0.0.0/33",
                                      "10.0.0.0/-1",
                                      "10.0.0.0/+8",
                                      "10.0.0.0/08",
                                      "10.0.0.0/8 ",
                                      "10.0.0.0/8/8",
                                      "10.0.0.0/00",
                                      "10.0.0.0/0x8",
                                      "10.0.0.1/24",
                                      "10.0.0.0/6",
                                      "::/129",
                                      "::1/127",
                                      "fe80::/8",
                                      "10.0.0/24",
                                      "::/4294967296",
                                      "0000:0000:0000:0000:0000:0000:0000:0000:0000:0000:0000/8"};
    struct ip_range range;

    for (size_t i = 0; i < COUNT(bad); i++)
        if (ip_range_parse(bad[i], &range))
            fail_msg("'%s' is taken", bad[i]);
}

CASE(ip_range__has)
{
    static const struct {
        const char *range, *address;
        bool expected;
    } rows[] = {{"10.1.2.0/24", "10.1.2.0", true},     {"10.1.2.0/24", "10.1.2.255", true},
                {"10.1.2.0/24", "10.1.3.0", false},    {"10.1.2.0/24", "10.1.1.255", false},
                {"10.1.2.2/31", "10.1.2.3", true},     {"10.1.2.2/31", "10.1.2.4", false},
                {"10.1.2.3", "10.1.2.3", true},        {"10.1.2.3", "10.1.2.2", false},
                {"0.0.0.0/0", "203.0.113.9", true},    {"0.0.0.0/0", "::1", false},
                {"::/0", "10.0.0.1", false},           {"fe80::/10", "febf::1", true},
                {"fe80::/10", "fec0::1", false},       {"2001:db8::/32", "2001:db8:ffff::", true},
                {"2001:db8::/32", "2001:db9::", false}};
    struct ip_range range;
    struct ip_address address;

    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_true(ip_range_parse(rows[i].range, &range));
        assert_true(ip_address_parse(rows[i].address, &address));
        if (ip_range_has(&range, &address) != rows[i].expected)
            fail_msg("%s in %s", rows[i].address, rows[i].range);
    }
}

CASE(ip_range__covers)
{
    static const struct {
        const char *range, *other;
        bool expected;
    } rows[] = {{"10.0.0.0/8", "10.0.0.0/8", true},   {"10.0.0.0/8", "10.1.0.0/16", true},
                {"10.0.0.0/8", "11.0.0.0/16", false}, {"10.0.0.0/8", "8.0.0.0/5", false},
                {"10.0.0.0/8", "10.1.2.3", true},     {"10.0.0.0/16", "10.0.0.0/8", false},
                {"0.0.0.0/0", "::/0", false},         {"fc00::/7", "fd00::/8", true}};
    struct ip_range range, other;

    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_true(ip_range_parse(rows[i].range, &range));
        assert_true(ip_range_parse(rows[i].other, &other));
        if (ip_range_covers(&range, &other) != rows[i].expected)
            fail_msg("%s in %s", rows[i].other, rows[i].range);
    }
}

#include "test.h"

#include "network/address_rules.h"

static struct ip_address address_of(const char *text)
{
    struct ip_address address;

    if (!ip_address_parse(text, &address))
        fail_msg("'%s' is not an address", text);
    return address;
}

static void check(const char *const *texts, size_t count, bool expected)
{
    for (size_t i = 0; i < count; i++) {
        const struct ip_address address = address_of(texts[i]);

        if (address_is_global(&address) != expected)
            fail_msg("%s", texts[i]);
    }
}

/* The neighbours of special ranges, and a few hosts. */
CASE(address_rules__global)
{
    static const char *const global[] = {
        "1.0.0.0",          "1.1.1.1",         "8.8.8.8",
        "9.255.255.255",    "11.0.0.0",        "100.63.255.255",
        "100.128.0.0",      "126.255.255.255", "128.0.0.0",
        "169.253.255.255",  "169.255.0.0",     "172.15.255.255",
        "172.32.0.0",       "191.255.255.255", "192.0.1.0",
        "192.0.1.255",      "192.0.3.0",       "192.88.98.255",
        "192.88.100.0",     "192.167.255.255", "192.169.0.0",
        "198.17.255.255",   "198.20.0.0",      "198.51.99.255",
        "198.51.101.0",     "203.0.112.255",   "203.0.114.0",
        "223.255.255.255",  "2000::",          "2001:200::1",
        "2001:db7:ffff::1", "2001:db9::",      "2001:4860:4860::8888",
        "2003::1",          "2606:4700::1111", "2620:4f:8000::1",
        "3ffe:ffff::1",     "3fff:1000::"};

    check(global, COUNT(global), true);
}

/* The first and the last address of each range. */
CASE(address_rules__special_ipv4)
{
    static const char *const special[] = {
        "0.0.0.0",         "0.255.255.255",   "10.0.0.0",       "10.255.255.255",
        "100.64.0.0",      "100.127.255.255", "127.0.0.0",      "127.0.0.1",
        "127.255.255.255", "168.63.129.16",   "169.254.0.0",    "169.254.169.254",
        "169.254.255.255", "172.16.0.0",      "172.31.255.255", "192.0.0.0",
        "192.0.0.192",     "192.0.0.255",     "192.0.2.0",      "192.0.2.255",
        "192.88.99.0",     "192.88.99.255",   "192.168.0.0",    "192.168.255.255",
        "198.18.0.0",      "198.19.255.255",  "198.51.100.0",   "198.51.100.255",
        "203.0.113.0",     "203.0.113.255",   "224.0.0.0",      "239.255.255.255",
        "240.0.0.0",       "255.255.255.254", "255.255.255.255"};

    check(special, COUNT(special), false);
}

CASE(address_rules__special_ipv6)
{
    static const char *const special[] = {
        "::",
        "::1",
        "::8.8.8.8",          /* IPv4-compatible */
        "::ffff:8.8.8.8",     /* IPv4-mapped */
        "::ffff:0:8.8.8.8",   /* IPv4-translated */
        "64:ff9b::8.8.8.8",   /* NAT64 */
        "64:ff9b:1::8.8.8.8", /* local NAT64 */
        "100::1",             /* discard-only */
        "1fff:ffff::1",       /* before the global ones */
        "2001::1",            /* Teredo */
        "2001:2::1",          /* benchmarking */
        "2001:10::1",         /* ORCHID */
        "2001:20::1",         /* ORCHIDv2 */
        "2001:1ff:ffff::1",   /* the last of the protocol assignments */
        "2001:db8::1",        /* documentation */
        "2001:db8:ffff::1",
        "2002:808:808::1", /* 6to4 */
        "2002:ffff::1",
        "3fff::1", /* documentation */
        "3fff:fff::1",
        "4000::1", /* after the global ones */
        "5f00::1", /* segment routing */
        "fc00::1", /* unique local */
        "fd00:ec2::254",
        "fdff:ffff::1",
        "fe80::1", /* link-local */
        "febf:ffff::1",
        "fec0::1", /* site-local */
        "ff02::1", /* multicast */
        "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"};

    check(special, COUNT(special), false);
}

static void check_allowed(const struct network_host *host, const char *text, bool expected)
{
    const struct ip_address address = address_of(text);

    if (address_is_allowed(&address, host) != expected)
        fail_msg("%s for %s", text, host->name);
}

CASE(address_rules__allowed_without_ranges)
{
    char name[] = "example.com";
    const struct network_host host = {.name = name};

    check_allowed(&host, "93.184.216.34", true);
    check_allowed(&host, "2606:4700::1111", true);
    check_allowed(&host, "10.0.0.1", false);
    check_allowed(&host, "::1", false);
}

CASE(address_rules__allowed_ranges)
{
    char name[] = "*.example.com";
    struct network_host host = {.name = name, .range_count = 2};

    assert_true(ip_range_parse("10.1.2.0/24", &host.ranges[0]));
    assert_true(ip_range_parse("fd00:1::/32", &host.ranges[1]));
    check_allowed(&host, "10.1.2.3", true);
    check_allowed(&host, "fd00:1::5", true);
    check_allowed(&host, "8.8.8.8", true);
    check_allowed(&host, "10.1.3.3", false);
    check_allowed(&host, "::ffff:10.1.2.3", false);
    host.range_count = 1;
    check_allowed(&host, "fd00:1::5", false);
}

CASE(address_rules__allowed_itself)
{
    char ipv4[] = "10.0.0.1", ipv6[] = "::1";
    const struct network_host old = {.name = ipv4}, new = {.name = ipv6};

    check_allowed(&old, "10.0.0.1", true);
    check_allowed(&old, "10.0.0.2", false);
    check_allowed(&old, "::ffff:10.0.0.1", false);
    check_allowed(&new, "::1", true);
    check_allowed(&new, "::2", false);
}

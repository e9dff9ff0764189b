#include "network/address_rules.h"

#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/host_name.h"

/*
 * The rows of the IANA IPv4 and IPv6 Special-Purpose Address Registries that are not globally
 * reachable, and multicast. A range that has a few global addresses, such as 192.0.0.9 for PCP, is
 * refused as a whole: no host of a program is there.
 */
static const char *const special[] = {
    "0.0.0.0/8",       /* this network: RFC 791 */
    "10.0.0.0/8",      /* private: RFC 1918 */
    "100.64.0.0/10",   /* shared, for CGNAT: RFC 6598 */
    "127.0.0.0/8",     /* loopback: RFC 1122 */
    "168.63.129.16",   /* Azure's services for a machine: in no registry, but of a cloud's own */
    "169.254.0.0/16",  /* link-local: RFC 3927 */
    "172.16.0.0/12",   /* private: RFC 1918 */
    "192.0.0.0/24",    /* protocol assignments: RFC 6890 */
    "192.0.2.0/24",    /* documentation: RFC 5737 */
    "192.88.99.0/24",  /* relays of 6to4: RFC 7526 */
    "192.168.0.0/16",  /* private: RFC 1918 */
    "198.18.0.0/15",   /* benchmarking: RFC 2544 */
    "198.51.100.0/24", /* documentation: RFC 5737 */
    "203.0.113.0/24",  /* documentation: RFC 5737 */
    "224.0.0.0/4",     /* multicast: RFC 5771 */
    "240.0.0.0/4",     /* reserved, and the broadcast address: RFC 1112, RFC 919 */
    "2001::/23",       /* protocol assignments, Teredo, benchmarking, ORCHID: RFC 2928 */
    "2001:db8::/32",   /* documentation: RFC 3849 */
    "2002::/16",       /* 6to4: RFC 3056 */
    "3fff::/20",       /* documentation: RFC 9637 */
};

/*
 * The global unicast addresses of IPv6 that are assigned (RFC 4291, 2.4, and the registry of the
 * address space). All other special ranges are outside: ::/96, ::ffff:0:0/96, 64:ff9b::/96,
 * 64:ff9b:1::/48, 100::/64, 5f00::/16, fc00::/7, fe80::/10, fec0::/10, ff00::/8.
 */
static const char GLOBAL_UNICAST[] = "2000::/3";

static bool is_in(const struct ip_address *address, const char *text)
{
    struct ip_range range;

    if (!ip_range_parse(text, &range))
        abort(); /* only a mistake in these tables could be the reason */
    return ip_range_has(&range, address);
}

bool address_is_global(const struct ip_address *address)
{
    for (size_t i = 0; i < sizeof special / sizeof *special; i++)
        if (is_in(address, special[i]))
            return false;
    return is_in(address, "0.0.0.0/0") || is_in(address, GLOBAL_UNICAST);
}

static bool is_of_interface(const struct ip_address *address, const struct sockaddr *interface)
{
    struct ip_address own = {.family = interface->sa_family};

    if (own.family == AF_INET)
        memcpy(own.bytes, &((const struct sockaddr_in *)(const void *)interface)->sin_addr, 4);
    else if (own.family == AF_INET6)
        memcpy(own.bytes, &((const struct sockaddr_in6 *)(const void *)interface)->sin6_addr, 16);
    else
        return false;
    return ip_address_equal(&own, address);
}

/* Whether it is an address of this host, or that is not known. */
static bool is_own(const struct ip_address *address)
{
    struct ifaddrs *interfaces = NULL;
    bool found = getifaddrs(&interfaces) != 0;

    for (const struct ifaddrs *item = interfaces; item && !found; item = item->ifa_next)
        found = item->ifa_addr && is_of_interface(address, item->ifa_addr);
    if (interfaces)
        freeifaddrs(interfaces);
    return found;
}

bool address_is_allowed(const struct ip_address *address, const struct network_host *host)
{
    struct ip_address named;

    if (host_name_is_address(host->name, &named) && ip_address_equal(&named, address))
        return true;
    for (size_t i = 0; i < host->range_count; i++)
        if (ip_range_has(&host->ranges[i], address))
            return true;
    return address_is_global(address) && !is_own(address);
}

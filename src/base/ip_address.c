#include "base/ip_address.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

bool ip_address_parse(const char *text, struct ip_address *address)
{
    *address = (struct ip_address){.family = strchr(text, ':') ? AF_INET6 : AF_INET};
    return inet_pton(address->family, text, address->bytes) == 1;
}

void ip_address_text(const struct ip_address *address, char text[IP_ADDRESS_SIZE])
{
    if (!inet_ntop(address->family, address->bytes, text, IP_ADDRESS_SIZE))
        abort(); /* only another family could be the reason */
}

static unsigned bits_of(int family)
{
    return family == AF_INET ? 32 : 128;
}

bool ip_address_equal(const struct ip_address *one, const struct ip_address *other)
{
    return one->family == other->family &&
           memcmp(one->bytes, other->bytes, bits_of(one->family) / 8) == 0;
}

static bool bit_of(const struct ip_address *address, unsigned at)
{
    return (address->bytes[at / 8] >> (7 - at % 8) & 1) != 0;
}

bool ip_range_parse(const char *text, struct ip_range *range)
{
    const size_t length = strcspn(text, "/");
    const char *digits = text[length] == '/' ? text + length + 1 : NULL;
    char address[IP_ADDRESS_SIZE];

    if (length >= sizeof address)
        return false;
    memcpy(address, text, length);
    address[length] = '\0';
    if (!ip_address_parse(address, &range->first))
        return false;
    range->bits = bits_of(range->first.family);
    if (!digits)
        return true;
    if (*digits == '\0' || strlen(digits) > 3 || strspn(digits, "0123456789") != strlen(digits) ||
        (digits[0] == '0' && digits[1] != '\0') || strtoul(digits, NULL, 10) > range->bits)
        return false;
    range->bits = (unsigned)strtoul(digits, NULL, 10);
    for (unsigned at = range->bits; at < bits_of(range->first.family); at++)
        if (bit_of(&range->first, at))
            return false;
    return true;
}

bool ip_range_has(const struct ip_range *range, const struct ip_address *address)
{
    if (range->first.family != address->family)
        return false;
    for (unsigned at = 0; at < range->bits; at++)
        if (bit_of(&range->first, at) != bit_of(address, at))
            return false;
    return true;
}

bool ip_range_covers(const struct ip_range *range, const struct ip_range *other)
{
    return range->bits <= other->bits && ip_range_has(range, &other->first);
}

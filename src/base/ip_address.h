/*
 * Addresses of IPv4 and IPv6, and ranges of them. Knows neither names nor which of them may be
 * reached.
 */
#ifndef BASE_IP_ADDRESS_H
#define BASE_IP_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>

struct ip_address {
    int family;              /* AF_INET or AF_INET6 */
    unsigned char bytes[16]; /* in network order; of IPv4 the first 4 */
};

/* The longest text of an address, with its NUL. */
enum { IP_ADDRESS_SIZE = 46 };

/*
 * Reads "192.0.2.1", with four decimal numbers without a zero in front, or "2001:db8::1", without
 * brackets and without a zone. False: it is neither.
 */
bool ip_address_parse(const char *text, struct ip_address *address);

/* Writes the canonical text (RFC 5952). */
void ip_address_text(const struct ip_address *address, char text[IP_ADDRESS_SIZE]);

bool ip_address_equal(const struct ip_address *one, const struct ip_address *other);

/* The addresses whose first bits are the same. */
struct ip_range {
    struct ip_address first;
    unsigned bits;
};

/* Reads "10.1.2.0/24", or an address alone. False: it is neither, or has bits after the first ones.
 */
bool ip_range_parse(const char *text, struct ip_range *range);

/* Whether the address, or each address of `other`, is in the range. */
bool ip_range_has(const struct ip_range *range, const struct ip_address *address);
bool ip_range_covers(const struct ip_range *range, const struct ip_range *other);

#endif

/*
 * Names of hosts, as they are compared: in lower case, without the dot at the end. Nothing is
 * looked up here.
 */
#ifndef BASE_HOST_NAME_H
#define BASE_HOST_NAME_H

#include <stdbool.h>
#include <stddef.h>

#include "base/ip_address.h"

/* The longest name (RFC 1035, 2.3.4), with its NUL. An address is shorter. */
enum { HOST_NAME_SIZE = 254 };

/*
 * Reads the name of a host, which is not terminated, or its address; one of IPv6 is in brackets.
 * Labels have letters, digits, '-' and '_', and international names their ASCII form, "xn--...".
 * False for anything else: other bytes, an empty label, a name that is too long, and a name whose
 * last label is a number, such as "0x7f.1", "2130706433", "127.1" and "010.0.0.1", which some
 * resolvers take for an address.
 */
bool host_name_read(const char *text, size_t length, char name[HOST_NAME_SIZE]);

/* Whether a name of host_name_read() is an address, which is set then. */
bool host_name_is_address(const char *name, struct ip_address *address);

/*
 * Whether the name is that of the pattern, which is a name too, or "*." and a name: each name that
 * has one label or more in front of that. An address matches itself alone.
 */
bool host_name_matches(const char *name, const char *pattern);

#endif

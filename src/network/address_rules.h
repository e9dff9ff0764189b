/*
 * Which addresses may be reached: those that are globally reachable by the special-purpose
 * registries of IANA (RFC 6890), and those that an entry of the list permits. An address of IPv6
 * that carries one of IPv4 is never reached.
 */
#ifndef NETWORK_ADDRESS_RULES_H
#define NETWORK_ADDRESS_RULES_H

#include <stdbool.h>

#include "base/ip_address.h"
#include "config/network_rules.h"

/*
 * Whether the address is globally reachable. Private, shared (CGNAT), loopback, link-local
 * (169.254.169.254 among them), multicast, documentation, benchmarking, reserved, 0.0.0.0/8,
 * broadcast, "::", unique local and site-local addresses are not; IPv4-mapped, IPv4-compatible,
 * NAT64 (also the local prefix), 6to4 and Teredo never are: what they carry is IPv4.
 */
bool address_is_global(const struct ip_address *address);

/*
 * Whether a connection to the address may be made for this entry: it is globally reachable and no
 * address of this host, is the entry itself, or is in one of its ranges.
 */
bool address_is_allowed(const struct ip_address *address, const struct network_host *host);

#endif

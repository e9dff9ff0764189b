/*
 * Which hosts may be reached: those that the entries of the list allow, and of these only what the
 * request asks for. Nothing is looked up here; the address of a host is judged after that
 * (network/address_rules.h).
 */
#ifndef NETWORK_HOST_RULES_H
#define NETWORK_HOST_RULES_H

#include "config/network_rules.h"

enum host_verdict {
    HOST_ALLOWED,
    HOST_NOT_SELECTED, /* the request names hosts, and not this one with this port */
    HOST_OTHER_PORT,   /* there are entries for the host, and none for the port */
    HOST_NOT_LISTED
};

/*
 * Returns the entry for a host of host_name_read() and a port, borrowed; NULL unless it is
 * HOST_ALLOWED. An entry with exactly this name decides alone, so that no pattern gives the name
 * another port, plain HTTP or a credential; without one it is the first pattern that has the port.
 */
const struct network_host *host_rules_find(const struct network_rules *rules, const char *name,
                                           unsigned short port, enum host_verdict *verdict);

#endif

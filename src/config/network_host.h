/*
 * A host of a list (config/network_rules.h): its name or a pattern, its ports, and what is done
 * with connections to it.
 */
#ifndef CONFIG_NETWORK_HOST_H
#define CONFIG_NETWORK_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/ip_address.h"
#include "config/network_credential.h"

/* Bounds of an entry, which the owner of the list writes. */
enum {
    NETWORK_PORTS_MAX = 16,
    NETWORK_RANGES_MAX = 16,
    NETWORK_CREDENTIALS_MAX = 4, /* of a host */
};

struct network_host {
    char *name;                              /* owned; a pattern of host_name_matches() */
    unsigned short ports[NETWORK_PORTS_MAX]; /* in the order of the list */
    size_t port_count;
    /* Addresses that are not globally reachable, and that the name may nevertheless have. */
    struct ip_range ranges[NETWORK_RANGES_MAX];
    size_t range_count;
    bool raw; /* what a tunnel carries need not be TLS for this name */
    /*
     * isolator terminates the TLS of the program, verifies the host, and adds the credentials to
     * each request. Without it there are no credentials.
     */
    bool terminate;
    struct network_credential credentials[NETWORK_CREDENTIALS_MAX]; /* each header once */
    size_t credential_count;
};

#define NETWORK_HOST_INIT                                                                          \
    {                                                                                              \
        .name = NULL                                                                               \
    }

void network_host_release(struct network_host *host);

/*
 * Sets the name: that of a host, "*." and a name, an address of IPv4, or one of IPv6 in brackets.
 * ERROR_USAGE.
 */
int network_host_set_name(struct network_host *host, const char *text, struct error *error);

/* Whether the host has this port. */
bool network_host_has_port(const struct network_host *host, unsigned short port);

/* Adds a port unless the host has it. ERROR_USAGE if it has NETWORK_PORTS_MAX others. */
int network_host_add_port(struct network_host *host, unsigned short port, struct error *error);

/*
 * Reads "HOST[:PORT]", with a HOST as network_host_set_name() takes it; without a port they are 80
 * and 443. The host, which is empty before, is to be released in any case. ERROR_USAGE.
 */
int network_host_parse(struct network_host *host, const char *text, struct error *error);

/* Likewise, but adds no port to the host: *port is 0 if the text has none. */
int network_host_parse_port(struct network_host *host, const char *text, unsigned short *port,
                            struct error *error);

/* Gives a host without ports 80 and 443, or 443 alone if its TLS is terminated. */
void network_host_add_default_ports(struct network_host *host);

/* Returns the name as network_host_set_name() takes it, owned by the caller. */
char *network_host_text(const struct network_host *host);

#endif

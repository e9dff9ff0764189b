/*
 * The hosts that programs may reach over the proxy of their container, which has no network itself
 * (src/network): what the key "network" of the configuration says if it is an object, and the
 * option --allow-host. Nothing is looked up or reached here.
 *
 * Like a struct sandbox_policy, rules can be partial: a number that is 0 is not given.
 */
#ifndef CONFIG_NETWORK_RULES_H
#define CONFIG_NETWORK_RULES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/ip_address.h"
#include "base/mux.h"
#include "config/network_credential.h"

/* Bounds of a list, which its owner writes. */
enum {
    NETWORK_HOSTS_MAX = 256,
    NETWORK_PORTS_MAX = 16,
    NETWORK_RANGES_MAX = 16,
    NETWORK_CREDENTIALS_MAX = 4, /* of a host */
};

/* How many connections a program can have at once. */
enum { NETWORK_CONNECTIONS_MAX = MUX_PROXY_MAX, NETWORK_CONNECTIONS_DEFAULT = 64 };

#define NETWORK_BYTES_MAX     (1LL << 40)
#define NETWORK_BYTES_DEFAULT (100LL << 20)

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

struct network_rules {
    struct network_host *hosts; /* owned; each name once */
    size_t count;               /* 0: programs have no proxy */
    long long max_bytes;        /* of all programs of a request, in both directions together */
    int max_connections;        /* that a program has at once */
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

/* Returns the name as network_host_set_name() takes it, owned by the caller. */
char *network_host_text(const struct network_host *host);

/* Leaves rules in which nothing is given. */
void network_rules_release(struct network_rules *rules);

/* Replaces a copy, which is initialised or has nothing given. */
void network_rules_copy(struct network_rules *copy, const struct network_rules *rules);

/* Sets the numbers that are not given to the defaults. */
void network_rules_complete(struct network_rules *rules);

/*
 * Adds a host, which is taken over and is empty then; without ports it gets 80 and 443, or 443
 * alone if its TLS is terminated. ERROR_USAGE if the list has this name, or is full, or if the host
 * is raw and its TLS is terminated.
 */
int network_rules_put(struct network_rules *rules, struct network_host *host, struct error *error);

/* Adds "HOST[:PORT]"; a host that the list has gets the ports too. ERROR_USAGE. */
int network_rules_add(struct network_rules *rules, const char *text, struct error *error);

/*
 * Adds a credential, which is taken over and has no members then, to the host of this name, which
 * is as network_host_set_name() takes it: that of an entry itself, not one that a pattern matches.
 * ERROR_USAGE if there is no such host, its TLS is not terminated, it has the header, or has
 * NETWORK_CREDENTIALS_MAX credentials.
 */
int network_rules_put_credential(struct network_rules *rules, const char *name,
                                 struct network_credential *credential, struct error *error);

/* Whether the TLS of a host is terminated. */
bool network_rules_terminate(const struct network_rules *rules);

/*
 * Returns the first host that a maximum does not cover, borrowed; NULL: it covers all. An entry
 * covers a host if its pattern matches all names of the host, it has all ports of the host, each of
 * the host's ranges is within one of its own, it is raw if the host is, and the TLS of the host is
 * terminated if that of the entry is. One whose TLS is not terminated covers both kinds: if TLS is
 * terminated, isolator sees more and the host no more. Credentials do not matter.
 */
const struct network_host *network_rules_uncovered(const struct network_rules *maximum,
                                                   const struct network_rules *rules);

/* Whether the maximum covers each host, and its numbers, if given, are not exceeded. */
bool network_rules_cover(const struct network_rules *maximum, const struct network_rules *rules);

/* Removes the hosts that the maximum does not cover, and lowers the numbers to those it gives. */
void network_rules_clamp(struct network_rules *rules, const struct network_rules *maximum);

/* Whether both have the same hosts and credentials, each in any order, and the same numbers. */
bool network_rules_equal(const struct network_rules *one, const struct network_rules *other);

/*
 * The object that the configuration would have for complete rules: a new reference. It has the
 * places of credentials, and no value.
 */
json_t *network_rules_to_json(const struct network_rules *rules);

#endif

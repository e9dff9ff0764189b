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
#include "base/mux.h"
#include "config/network_credential.h"
#include "config/network_host.h"
#include "config/network_selection.h"

/* How many connections a program can have at once. */
enum { NETWORK_CONNECTIONS_MAX = MUX_PROXY_MAX, NETWORK_CONNECTIONS_DEFAULT = 64 };

#define NETWORK_BYTES_MAX     (1LL << 40)
#define NETWORK_BYTES_DEFAULT (100LL << 20)

struct network_rules {
    struct network_host *hosts; /* owned; each name once */
    size_t count;               /* 0: programs have no proxy */
    long long max_bytes;        /* of all programs of a request, in both directions together */
    int max_connections;        /* that a program has at once */
    /* What a request asks for: the hosts are reached only as far as they are selected, too. */
    struct network_selection selection;
};

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

/*
 * Narrows complete rules to the hosts that are selected, if a selection is given; rules that are
 * narrowed stay so. Entries that cannot be reached any more are removed, or lose their ports if
 * they decide about a name that is still selected. ERROR_USAGE, with nothing changed, if the rules
 * allow no host of an item, or are narrowed already.
 */
int network_rules_narrow(struct network_rules *rules, const struct network_selection *selection,
                         struct error *error);

/*
 * Whether both have the same hosts and credentials, each in any order, the same numbers, and, if
 * there are hosts, the same selection.
 */
bool network_rules_equal(const struct network_rules *one, const struct network_rules *other);

/*
 * The object that the configuration would have for complete rules: a new reference. It has the
 * places of credentials, and no value. A selection, which no configuration has, is in "hosts".
 */
json_t *network_rules_to_json(const struct network_rules *rules);

#endif

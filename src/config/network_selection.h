/*
 * The hosts that a request asks for. They narrow the list of the configuration and never widen it:
 * network_rules_narrow() adds a selection to the rules (config/network_rules.h), and a
 * connection needs both. Which hosts are allowed is not known here.
 */
#ifndef CONFIG_NETWORK_SELECTION_H
#define CONFIG_NETWORK_SELECTION_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* At most so many hosts are in a list: of the configuration, or of a request. */
enum { NETWORK_HOSTS_MAX = 256 };

struct network_item {
    char *name;          /* owned; a pattern of host_name_matches() */
    unsigned short port; /* 0: all ports */
};

struct network_selection {
    bool given;                 /* false: the request asks for nothing, and each host is selected */
    struct network_item *items; /* owned; none although it is given: no host is selected */
    size_t count;
};

/* Leaves a selection that is not given. */
void network_selection_release(struct network_selection *selection);

/* Replaces a copy, which is initialised or not given. */
void network_selection_copy(struct network_selection *copy,
                            const struct network_selection *selection);

/*
 * Adds "HOST[:PORT]" as network_host_parse() reads it, but without a port it is all ports. An item
 * that is there is not added again. ERROR_USAGE, also if there are NETWORK_HOSTS_MAX items.
 */
int network_selection_add(struct network_selection *selection, const char *text,
                          struct error *error);

/* Whether a host of host_name_read() is selected with this port. */
bool network_selection_has(const struct network_selection *selection, const char *name,
                           unsigned short port);

/* Whether both have the same items, in any order, or neither is given. */
bool network_selection_equal(const struct network_selection *one,
                             const struct network_selection *other);

/* Returns the item as network_selection_add() reads it, owned by the caller. */
char *network_item_text(const struct network_item *item);

#endif

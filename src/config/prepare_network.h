/*
 * The network of the steps of a preparation (config/config.h): none, one of the engine, or hosts
 * over a proxy. In the configuration and in notes it is a string or an object, as that of programs.
 */
#ifndef CONFIG_PREPARE_NETWORK_H
#define CONFIG_PREPARE_NETWORK_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "config/network_rules.h"

struct prepare_network {
    char *name;                 /* owned; NULL: none is named, so it is "none" */
    struct network_rules hosts; /* if there are some, no name is given */
};

#define PREPARE_NETWORK_INIT                                                                       \
    {                                                                                              \
        .name = NULL                                                                               \
    }

/* Leaves a network in which nothing is given. */
void prepare_network_release(struct prepare_network *network);

/* Replaces a copy, which is initialised. */
void prepare_network_copy(struct prepare_network *copy, const struct prepare_network *network);

/* Sets the name, and leaves the hosts. ERROR_USAGE, as sandbox_policy_set_network(). */
int prepare_network_set_name(struct prepare_network *network, const char *name,
                             struct error *error);

/* Adds "HOST[:PORT]"; see network_rules_add(). ERROR_USAGE. */
int prepare_network_allow_host(struct prepare_network *network, const char *text,
                               struct error *error);

/*
 * Sets the numbers of the hosts that are not given. Steps are trusted, so by default there is no
 * limit to what they transfer.
 */
void prepare_network_complete(struct prepare_network *network);

/* Whether there is a name, or are hosts. */
bool prepare_network_is_given(const struct prepare_network *network);

/* Whether steps can reach anything. */
bool prepare_network_is_open(const struct prepare_network *network);

/* Whether the same is given. */
bool prepare_network_equal(const struct prepare_network *one, const struct prepare_network *other);

/* What the configuration would say: a new reference; NULL if nothing is given. */
json_t *prepare_network_to_json(const struct prepare_network *network);

#endif

#include "config/prepare_network.h"

#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "config/prepare_rules.h"

void prepare_network_release(struct prepare_network *network)
{
    free(network->name);
    network->name = NULL;
    network_rules_release(&network->hosts);
}

void prepare_network_copy(struct prepare_network *copy, const struct prepare_network *network)
{
    free(copy->name);
    copy->name = network->name ? string_copy(network->name) : NULL;
    network_rules_copy(&copy->hosts, &network->hosts);
}

int prepare_network_set_name(struct prepare_network *network, const char *name, struct error *error)
{
    if (prepare_check_network(name, error) != 0)
        return -1;
    free(network->name);
    network->name = string_copy(name);
    return 0;
}

int prepare_network_allow_host(struct prepare_network *network, const char *text,
                               struct error *error)
{
    prepare_network_complete(network);
    return network_rules_add(&network->hosts, text, error);
}

void prepare_network_complete(struct prepare_network *network)
{
    if (network->hosts.max_bytes == 0)
        network->hosts.max_bytes = NETWORK_BYTES_MAX;
    network_rules_complete(&network->hosts);
}

bool prepare_network_is_given(const struct prepare_network *network)
{
    return network->name || network->hosts.count > 0;
}

bool prepare_network_is_open(const struct prepare_network *network)
{
    return network->hosts.count > 0 || (network->name && strcmp(network->name, "none") != 0);
}

bool prepare_network_equal(const struct prepare_network *one, const struct prepare_network *other)
{
    if (one->hosts.count > 0 || other->hosts.count > 0)
        return network_rules_equal(&one->hosts, &other->hosts);
    return one->name && other->name ? strcmp(one->name, other->name) == 0
                                    : one->name == other->name;
}

json_t *prepare_network_to_json(const struct prepare_network *network)
{
    if (network->hosts.count > 0)
        return network_rules_to_json(&network->hosts);
    return network->name ? json_string(network->name) : NULL;
}

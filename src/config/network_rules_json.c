/* The JSON of network_rules.h. config_read.c reads what is written here. */
#include "base/cleanup.h"
#include "base/strbuf.h"
#include "config/network_rules.h"

static json_t *host_to_json(const struct network_host *host)
{
    CLEANUP_FREE char *name = network_host_text(host);
    json_t *object = json_pack("{s:s, s:[]}", "host", name, "ports");
    json_t *addresses = json_array();

    for (size_t i = 0; i < host->port_count; i++)
        json_array_append_new(json_object_get(object, "ports"), json_integer(host->ports[i]));
    for (size_t i = 0; i < host->range_count; i++) {
        char address[IP_ADDRESS_SIZE];

        ip_address_text(&host->ranges[i].first, address);
        json_array_append_new(addresses, json_sprintf("%s/%u", address, host->ranges[i].bits));
    }
    if (host->range_count > 0)
        json_object_set(object, "addresses", addresses);
    if (host->raw)
        json_object_set_new(object, "raw", json_true());
    if (host->terminate)
        json_object_set_new(object, "tls", json_string("terminate"));
    json_decref(addresses);
    return object;
}

/* Adds an object for each credential of the host. */
static void add_credentials(json_t *all, const struct network_host *host)
{
    CLEANUP_FREE char *name = network_host_text(host);

    for (size_t i = 0; i < host->credential_count; i++) {
        const struct network_credential *credential = &host->credentials[i];
        json_t *object = json_pack("{s:s, s:s, s:s}", "host", name, "header", credential->header,
                                   "from", credential->from);

        if (*credential->prefix)
            json_object_set_new(object, "prefix", json_string(credential->prefix));
        json_array_append_new(all, object);
    }
}

static void add_selection(json_t *object, const struct network_selection *selection)
{
    json_t *hosts = json_array();

    for (size_t i = 0; i < selection->count; i++) {
        CLEANUP_FREE char *text = network_item_text(&selection->items[i]);

        json_array_append_new(hosts, json_string(text));
    }
    if (selection->given)
        json_object_set(object, "hosts", hosts);
    json_decref(hosts);
}

json_t *network_rules_to_json(const struct network_rules *rules)
{
    json_t *allow = json_array(), *credentials = json_array();
    json_t *object = json_pack("{s:o}", "allow", allow);

    for (size_t i = 0; i < rules->count; i++) {
        json_array_append_new(allow, host_to_json(&rules->hosts[i]));
        add_credentials(credentials, &rules->hosts[i]);
    }
    if (json_array_size(credentials) > 0)
        json_object_set(object, "credentials", credentials);
    json_decref(credentials);
    json_object_set_new(object, "maxBytes", json_integer(rules->max_bytes));
    json_object_set_new(object, "maxConnections", json_integer(rules->max_connections));
    add_selection(object, &rules->selection);
    return object;
}

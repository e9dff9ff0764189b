/*
 * Narrows rules to what a request asks for. What may be reached is decided by the entries of the
 * owner, as before, and by the selection: both must say yes, so that no mistake here can widen a
 * list. Entries that no item needs are removed, since they would cost a proxy, a terminator or a
 * credential that is not used.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/host_name.h"
#include "base/strbuf.h"
#include "config/network_rules.h"

/* Hosts that an error names. */
enum { HOSTS_NAMED_MAX = 10 };

static bool is_pattern(const char *name)
{
    return name[0] == '*';
}

/*
 * Whether some host has both names. A pattern is matched as if it were a name: of two patterns with
 * a host in common, one has all hosts of the other.
 */
static bool names_overlap(const char *one, const char *other)
{
    return host_name_matches(one, other) || host_name_matches(other, one);
}

static bool ports_overlap(const struct network_host *host, const struct network_item *item)
{
    return item->port > 0 ? network_host_has_port(host, item->port) : host->port_count > 0;
}

/* What becomes of an entry. */
enum need {
    NEED_NONE,
    NEED_NAME, /* it decides about a name that is selected, and allows none of the ports */
    NEED_ENTRY
};

/* The entry with exactly the name of an item, which decides alone; NULL: there is none. */
static const struct network_host *own_entry(const struct network_rules *rules,
                                            const struct network_item *item)
{
    for (size_t i = 0; i < rules->count && !is_pattern(item->name); i++)
        if (strcmp(rules->hosts[i].name, item->name) == 0)
            return &rules->hosts[i];
    return NULL;
}

/*
 * Notes which entries decide about hosts of the item. One without a pattern does so also if it does
 * not have the port: without it, a pattern would. False: no entry allows a host of the item.
 */
static bool note_needs(const struct network_rules *rules, const struct network_item *item,
                       enum need *needs)
{
    const struct network_host *own = own_entry(rules, item);
    bool allowed = false;

    for (size_t i = 0; i < rules->count; i++) {
        const struct network_host *host = &rules->hosts[i];

        if ((own && host != own) || !names_overlap(host->name, item->name))
            continue;
        if (ports_overlap(host, item)) {
            needs[i] = NEED_ENTRY;
            allowed = true;
        } else if (needs[i] == NEED_NONE && !is_pattern(host->name)) {
            needs[i] = NEED_NAME;
        }
    }
    return allowed;
}

/* Adds "HOST (port 443)" for the first hosts, and how many more there are. */
static void list_hosts(struct strbuf *text, const struct network_rules *rules)
{
    for (size_t i = 0; i < rules->count && i < HOSTS_NAMED_MAX; i++) {
        const struct network_host *host = &rules->hosts[i];
        CLEANUP_FREE char *name = network_host_text(host);

        strbuf_addf(text, "%s%s (port%s", i > 0 ? ", " : "", name, host->port_count > 1 ? "s" : "");
        for (size_t k = 0; k < host->port_count; k++)
            strbuf_addf(text, "%s %u", k > 0 ? "," : "", host->ports[k]);
        strbuf_addch(text, ')');
    }
    if (rules->count > HOSTS_NAMED_MAX)
        strbuf_addf(text, " and %zu more", rules->count - HOSTS_NAMED_MAX);
}

static int refuse_item(const struct network_rules *rules, const struct network_item *item,
                       struct error *error)
{
    CLEANUP_FREE char *shown = network_item_text(item);
    CLEANUP(strbuf_release) struct strbuf allowed = STRBUF_INIT;

    list_hosts(&allowed, rules);
    return error_set(error, ERROR_USAGE,
                     "'%s' is not allowed by the configuration, which allows %s", shown,
                     rules->count > 0 ? strbuf_string(&allowed) : "no host");
}

/* Leaves an entry that allows nothing, and decides about its name. */
static void close_entry(struct network_host *host)
{
    char *name = steal_pointer(&host->name);

    network_host_release(host);
    host->name = name;
}

static void remove_entries(struct network_rules *rules, const enum need *needs)
{
    size_t kept = 0;

    for (size_t i = 0; i < rules->count; i++) {
        if (needs[i] == NEED_NONE) {
            network_host_release(&rules->hosts[i]);
            continue;
        }
        if (needs[i] == NEED_NAME)
            close_entry(&rules->hosts[i]);
        rules->hosts[kept++] = rules->hosts[i];
    }
    rules->count = kept;
}

int network_rules_narrow(struct network_rules *rules, const struct network_selection *selection,
                         struct error *error)
{
    enum need needs[NETWORK_HOSTS_MAX] = {NEED_NONE};

    if (!selection->given)
        return 0;
    if (rules->selection.given)
        return error_set(error, ERROR_USAGE, "the hosts are narrowed already");
    for (size_t i = 0; i < selection->count; i++)
        if (!note_needs(rules, &selection->items[i], needs))
            return refuse_item(rules, &selection->items[i], error);
    network_selection_copy(&rules->selection, selection);
    remove_entries(rules, needs);
    return 0;
}

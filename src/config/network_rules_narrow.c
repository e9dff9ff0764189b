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

/* Whether the rules allow a host of the item. An entry with exactly its name decides alone. */
static bool allow_item(const struct network_rules *rules, const struct network_item *item)
{
    bool allowed = false;

    for (size_t i = 0; i < rules->count; i++) {
        const struct network_host *host = &rules->hosts[i];
        const bool overlaps = names_overlap(host->name, item->name) && ports_overlap(host, item);

        if (!is_pattern(item->name) && strcmp(host->name, item->name) == 0)
            return overlaps;
        allowed |= overlaps;
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

/*
 * Whether the entry decides about hosts of the selection. One without a pattern decides about its
 * name also if it does not have the port: a pattern would decide otherwise.
 */
static bool is_needed(const struct network_host *host, const struct network_selection *selection,
                      bool *allows)
{
    bool is_named = false;

    *allows = false;
    for (size_t i = 0; i < selection->count; i++) {
        const struct network_item *item = &selection->items[i];

        if (!names_overlap(host->name, item->name))
            continue;
        is_named = true;
        *allows |= ports_overlap(host, item);
    }
    return *allows || (is_named && !is_pattern(host->name));
}

/* Leaves an entry that allows nothing, and decides about its name. */
static void close_entry(struct network_host *host)
{
    char *name = steal_pointer(&host->name);

    network_host_release(host);
    host->name = name;
}

static void remove_entries(struct network_rules *rules, const struct network_selection *selection)
{
    size_t kept = 0;

    for (size_t i = 0; i < rules->count; i++) {
        bool allows;

        if (!is_needed(&rules->hosts[i], selection, &allows)) {
            network_host_release(&rules->hosts[i]);
            continue;
        }
        if (!allows)
            close_entry(&rules->hosts[i]);
        rules->hosts[kept++] = rules->hosts[i];
    }
    rules->count = kept;
}

int network_rules_narrow(struct network_rules *rules, const struct network_selection *selection,
                         struct error *error)
{
    if (!selection->given)
        return 0;
    if (rules->selection.given)
        return error_set(error, ERROR_USAGE, "the hosts are narrowed already");
    for (size_t i = 0; i < selection->count; i++)
        if (!allow_item(rules, &selection->items[i]))
            return refuse_item(rules, &selection->items[i], error);
    network_selection_copy(&rules->selection, selection);
    remove_entries(rules, selection);
    return 0;
}

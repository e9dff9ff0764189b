#include "config/network_rules.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/host_name.h"
#include "base/memory.h"
#include "base/strbuf.h"

void network_rules_release(struct network_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        network_host_release(&rules->hosts[i]);
    free(rules->hosts);
    network_selection_release(&rules->selection);
    *rules = (struct network_rules){.hosts = NULL};
}

void network_rules_copy(struct network_rules *copy, const struct network_rules *rules)
{
    network_rules_release(copy);
    *copy = *rules;
    copy->selection = (struct network_selection){.given = false};
    network_selection_copy(&copy->selection, &rules->selection);
    copy->hosts = memory_allocate(rules->count * sizeof *copy->hosts);
    for (size_t i = 0; i < rules->count; i++) {
        const struct network_host *host = &rules->hosts[i];

        copy->hosts[i] = *host;
        copy->hosts[i].name = string_copy(host->name);
        for (size_t k = 0; k < host->credential_count; k++)
            network_credential_copy(&copy->hosts[i].credentials[k], &host->credentials[k]);
    }
}

void network_rules_complete(struct network_rules *rules)
{
    if (rules->max_bytes == 0)
        rules->max_bytes = NETWORK_BYTES_DEFAULT;
    if (rules->max_connections == 0)
        rules->max_connections = NETWORK_CONNECTIONS_DEFAULT;
}

static struct network_host *find(const struct network_rules *rules, const char *name)
{
    for (size_t i = 0; i < rules->count; i++)
        if (strcmp(rules->hosts[i].name, name) == 0)
            return &rules->hosts[i];
    return NULL;
}

int network_rules_put(struct network_rules *rules, struct network_host *host, struct error *error)
{
    if (find(rules, host->name))
        return error_set(error, ERROR_USAGE,
                         "host '%s' is in the list already; give all its ports in one entry",
                         host->name);
    if (rules->count == NETWORK_HOSTS_MAX)
        return error_set(error, ERROR_USAGE, "a program can reach at most %d hosts",
                         NETWORK_HOSTS_MAX);
    if (host->raw && host->terminate)
        return error_set(error, ERROR_USAGE,
                         "host '%s' cannot have both raw and tls: what is not TLS cannot be "
                         "terminated",
                         host->name);
    if (host->port_count == 0)
        network_host_add_default_ports(host);
    rules->hosts = memory_resize(rules->hosts, (rules->count + 1) * sizeof *rules->hosts);
    rules->hosts[rules->count++] = *host;
    *host = (struct network_host)NETWORK_HOST_INIT;
    return 0;
}

int network_rules_add(struct network_rules *rules, const char *text, struct error *error)
{
    CLEANUP(network_host_release) struct network_host host = NETWORK_HOST_INIT;
    struct network_host *found;

    if (network_host_parse(&host, text, error) != 0)
        return -1;
    found = find(rules, host.name);
    if (!found)
        return network_rules_put(rules, &host, error);
    for (size_t i = 0; i < host.port_count; i++)
        if (network_host_add_port(found, host.ports[i], error) != 0)
            return -1;
    return 0;
}

/* The credential of a host with this header; NULL: none. */
static const struct network_credential *find_credential(const struct network_host *host,
                                                        const char *header)
{
    for (size_t i = 0; i < host->credential_count; i++)
        if (strcasecmp(host->credentials[i].header, header) == 0)
            return &host->credentials[i];
    return NULL;
}

/* Sets the error if a host, which may be NULL, cannot have one more credential with the header. */
static int check_credential(const struct network_host *host, const char *name, const char *header,
                            struct error *error)
{
    if (!host)
        return error_set(error, ERROR_USAGE,
                         "host '%s' is not in allow; name an entry as it is written there", name);
    if (!host->terminate)
        return error_set(error, ERROR_USAGE,
                         "host '%s' needs \"tls\": \"terminate\" in allow, since isolator cannot "
                         "add a header inside TLS",
                         name);
    if (find_credential(host, header))
        return error_set(error, ERROR_USAGE,
                         "host '%s' has a credential in header '%s' already; remove one of them",
                         name, header);
    if (host->credential_count == NETWORK_CREDENTIALS_MAX)
        return error_set(error, ERROR_USAGE, "a host can have at most %d credentials",
                         NETWORK_CREDENTIALS_MAX);
    return 0;
}

int network_rules_put_credential(struct network_rules *rules, const char *name,
                                 struct network_credential *credential, struct error *error)
{
    CLEANUP(network_host_release) struct network_host wanted = NETWORK_HOST_INIT;
    struct network_host *host;

    if (network_host_set_name(&wanted, name, error) != 0)
        return -1;
    host = find(rules, wanted.name);
    if (check_credential(host, name, credential->header, error) != 0)
        return -1;
    host->credentials[host->credential_count++] = *credential;
    *credential = (struct network_credential){.header = NULL};
    return 0;
}

bool network_rules_terminate(const struct network_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        if (rules->hosts[i].terminate)
            return true;
    return false;
}

/* ---- comparisons */

static bool has_range(const struct network_host *host, const struct ip_range *range)
{
    for (size_t i = 0; i < host->range_count; i++)
        if (ip_range_covers(&host->ranges[i], range))
            return true;
    return false;
}

/* All names of a pattern match what the pattern itself, as if it were a name, matches. */
static bool entry_covers(const struct network_host *entry, const struct network_host *host)
{
    if (!host_name_matches(host->name, entry->name) || (host->raw && !entry->raw) ||
        (entry->terminate && !host->terminate))
        return false;
    for (size_t i = 0; i < host->port_count; i++)
        if (!network_host_has_port(entry, host->ports[i]))
            return false;
    for (size_t i = 0; i < host->range_count; i++)
        if (!has_range(entry, &host->ranges[i]))
            return false;
    return true;
}

static bool is_covered(const struct network_rules *maximum, const struct network_host *host)
{
    for (size_t i = 0; i < maximum->count; i++)
        if (entry_covers(&maximum->hosts[i], host))
            return true;
    return false;
}

const struct network_host *network_rules_uncovered(const struct network_rules *maximum,
                                                   const struct network_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        if (!is_covered(maximum, &rules->hosts[i]))
            return &rules->hosts[i];
    return NULL;
}

bool network_rules_cover(const struct network_rules *maximum, const struct network_rules *rules)
{
    if (rules->count == 0)
        return true;
    return (maximum->max_bytes == 0 || rules->max_bytes <= maximum->max_bytes) &&
           (maximum->max_connections == 0 || rules->max_connections <= maximum->max_connections) &&
           !network_rules_uncovered(maximum, rules);
}

void network_rules_clamp(struct network_rules *rules, const struct network_rules *maximum)
{
    size_t kept = 0;

    for (size_t i = 0; i < rules->count; i++) {
        if (is_covered(maximum, &rules->hosts[i]))
            rules->hosts[kept++] = rules->hosts[i];
        else
            network_host_release(&rules->hosts[i]);
    }
    rules->count = kept;
    if (maximum->max_bytes > 0 && rules->max_bytes > maximum->max_bytes)
        rules->max_bytes = maximum->max_bytes;
    if (maximum->max_connections > 0 && rules->max_connections > maximum->max_connections)
        rules->max_connections = maximum->max_connections;
}

static bool has_same_credentials(const struct network_host *one, const struct network_host *other)
{
    if (one->credential_count != other->credential_count)
        return false;
    for (size_t i = 0; i < one->credential_count; i++) {
        const struct network_credential *credential = &one->credentials[i];
        const struct network_credential *same = find_credential(other, credential->header);

        if (!same || !network_credential_equal(credential, same))
            return false;
    }
    return true;
}

bool network_rules_equal(const struct network_rules *one, const struct network_rules *other)
{
    if (one->count != other->count || one->max_bytes != other->max_bytes ||
        one->max_connections != other->max_connections)
        return false;
    if (one->count > 0 && !network_selection_equal(&one->selection, &other->selection))
        return false;
    for (size_t i = 0; i < one->count; i++) {
        const struct network_host *host = &one->hosts[i], *same = find(other, host->name);

        if (!same || !entry_covers(host, same) || !entry_covers(same, host) ||
            !has_same_credentials(host, same))
            return false;
    }
    return true;
}

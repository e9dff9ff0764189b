#include "config/network_rules.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/cleanup.h"
#include "base/host_name.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"

/* Of HTTP, then of HTTPS, which a host has alone if its TLS is terminated. */
static const unsigned short default_ports[] = {80, 443};

/* ---- one host */

void network_host_release(struct network_host *host)
{
    free(host->name);
    for (size_t i = 0; i < host->credential_count; i++)
        network_credential_release(&host->credentials[i]);
    *host = (struct network_host)NETWORK_HOST_INIT;
}

/* Says that the text is not a host, and what to write instead. */
static int refuse_name(const char *text, struct error *error)
{
    CLEANUP_FREE char *shown = text_escape_short(text, TEXT_SHOWN_MAX);
    struct ip_address address;

    if (strchr(text, '/'))
        return error_set(error, ERROR_USAGE,
                         "'%s' is a URL or a path; write the host alone, like example.com", shown);
    if (ip_address_parse(text, &address)) /* one of IPv4 is a host */
        return error_set(error, ERROR_USAGE,
                         "'%s' is an address of IPv6; write it in brackets, like [2001:db8::1]",
                         shown);
    return error_set(error, ERROR_USAGE,
                     "'%s' is not the name of a host; write a name like example.com, *.example.com "
                     "for all names below it, or an address like 192.0.2.1 or [2001:db8::1]",
                     shown);
}

/* Sets the name to the first bytes of the text. */
static int set_name(struct network_host *host, const char *text, size_t length, struct error *error)
{
    const bool is_pattern = length > 2 && strncmp(text, "*.", 2) == 0;
    const size_t skipped = is_pattern ? 2 : 0;
    char name[HOST_NAME_SIZE];
    struct ip_address address;

    if (strchr(text, '/') || !host_name_read(text + skipped, length - skipped, name) ||
        (is_pattern && host_name_is_address(name, &address)))
        return refuse_name(text, error);
    free(host->name);
    host->name = string_format("%s%s", is_pattern ? "*." : "", name);
    return 0;
}

int network_host_set_name(struct network_host *host, const char *text, struct error *error)
{
    return set_name(host, text, strlen(text), error);
}

bool network_host_has_port(const struct network_host *host, unsigned short port)
{
    for (size_t i = 0; i < host->port_count; i++)
        if (host->ports[i] == port)
            return true;
    return false;
}

int network_host_add_port(struct network_host *host, unsigned short port, struct error *error)
{
    if (network_host_has_port(host, port))
        return 0;
    if (host->port_count == NETWORK_PORTS_MAX)
        return error_set(error, ERROR_USAGE, "a host can have at most %d ports", NETWORK_PORTS_MAX);
    host->ports[host->port_count++] = port;
    return 0;
}

static void add_default_ports(struct network_host *host)
{
    const size_t first = host->terminate ? 1 : 0;

    host->port_count = sizeof default_ports / sizeof *default_ports - first;
    memcpy(host->ports, default_ports + first, host->port_count * sizeof *host->ports);
}

/* The length of the host in "HOST[:PORT]". A second colon is one of an address without brackets. */
static size_t host_length(const char *text)
{
    const char *bracket = text[0] == '[' ? strchr(text, ']') : NULL;
    const char *start = bracket ? bracket + 1 : text;
    const char *colon = strchr(start, ':');

    return colon && !strchr(colon + 1, ':') ? (size_t)(colon - text) : strlen(text);
}

int network_host_parse(struct network_host *host, const char *text, struct error *error)
{
    const size_t length = host_length(text);
    const char *digits = text + length + 1;
    unsigned long port;

    if (set_name(host, text, length, error) != 0)
        return -1;
    if (text[length] == '\0') {
        add_default_ports(host);
        return 0;
    }
    port = strlen(digits) <= 5 ? strtoul(digits, NULL, 10) : 0;
    if (digits[strspn(digits, "0123456789")] != '\0' || port < 1 || port > 65535) {
        CLEANUP_FREE char *shown = text_escape_short(text, TEXT_SHOWN_MAX);
        return error_set(error, ERROR_USAGE,
                         "the port of '%s' is not a number from 1 to 65535, as in example.com:8443",
                         shown);
    }
    return network_host_add_port(host, (unsigned short)port, error);
}

char *network_host_text(const struct network_host *host)
{
    return string_format(strchr(host->name, ':') ? "[%s]" : "%s", host->name);
}

/* ---- a list of hosts */

void network_rules_release(struct network_rules *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        network_host_release(&rules->hosts[i]);
    free(rules->hosts);
    *rules = (struct network_rules){.hosts = NULL};
}

void network_rules_copy(struct network_rules *copy, const struct network_rules *rules)
{
    network_rules_release(copy);
    *copy = *rules;
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
        add_default_ports(host);
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
    for (size_t i = 0; i < one->count; i++) {
        const struct network_host *host = &one->hosts[i], *same = find(other, host->name);

        if (!same || !entry_covers(host, same) || !entry_covers(same, host) ||
            !has_same_credentials(host, same))
            return false;
    }
    return true;
}

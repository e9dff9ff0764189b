#include "config/network_host.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/host_name.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"

/* Of HTTP, then of HTTPS, which a host has alone if its TLS is terminated. */
static const unsigned short default_ports[] = {80, 443};

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

void network_host_add_default_ports(struct network_host *host)
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

int network_host_parse_port(struct network_host *host, const char *text, unsigned short *port,
                            struct error *error)
{
    const size_t length = host_length(text);
    const char *digits = text + length + 1;
    unsigned long number;

    *port = 0;
    if (set_name(host, text, length, error) != 0)
        return -1;
    if (text[length] == '\0')
        return 0;
    number = strlen(digits) <= 5 ? strtoul(digits, NULL, 10) : 0;
    if (digits[strspn(digits, "0123456789")] != '\0' || number < 1 || number > 65535) {
        CLEANUP_FREE char *shown = text_escape_short(text, TEXT_SHOWN_MAX);
        return error_set(error, ERROR_USAGE,
                         "the port of '%s' is not a number from 1 to 65535, as in example.com:8443",
                         shown);
    }
    *port = (unsigned short)number;
    return 0;
}

int network_host_parse(struct network_host *host, const char *text, struct error *error)
{
    unsigned short port;

    if (network_host_parse_port(host, text, &port, error) != 0)
        return -1;
    if (port > 0)
        return network_host_add_port(host, port, error);
    network_host_add_default_ports(host);
    return 0;
}

char *network_host_text(const struct network_host *host)
{
    return string_format(strchr(host->name, ':') ? "[%s]" : "%s", host->name);
}

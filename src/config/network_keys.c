#include "config/network_keys.h"

#include <stddef.h>

#include "config/config.h"
#include "config/key_macros.h"
#include "config/network_rules.h"

/*
 * A host: an address of IPv6 or IPv4, or a name. The last label of a name is no number.
 */
#define LABEL     "[A-Za-z0-9_-]{1,63}"
#define IS_NUMBER "([0-9]+|0[xX][0-9A-Fa-f]*)[.]?(:|$)"
#define HOST                                                                                       \
    "(\\[[0-9A-Fa-f:.]+\\]|([0-9]{1,3}[.]){3}[0-9]{1,3}|([*][.])?(" LABEL "[.])*(?!" IS_NUMBER     \
    ")" LABEL "[.]?)"

static const struct config_key keys[] = {
    {CONFIG_LEVEL_NETWORK,
     RANGE("allow", KEY_HOSTS, 0, NETWORK_HOSTS_MAX, "Allowed hosts",
           "The hosts, each an object or a string of the form HOST or HOST:PORT.",
           .pattern = "^" HOST "(:[0-9]{1,5})?$"),
     .members = CONFIG_LEVEL_HOST},
    {CONFIG_LEVEL_NETWORK,
     RANGE("credentials", KEY_CREDENTIALS, 0, NETWORK_HOSTS_MAX *NETWORK_CREDENTIALS_MAX,
           "Credentials",
           "Headers that isolator adds to requests to hosts of allow whose TLS it terminates; "
           "programs never see their values."),
     .members = CONFIG_LEVEL_CREDENTIAL},
    {CONFIG_LEVEL_NETWORK,
     RANGE("maxBytes", KEY_WHOLE, 1, NETWORK_BYTES_MAX, "Traffic",
           "Bytes that a program may send and receive in all; by default 100 MiB."),
     .offset = offsetof(struct network_rules, max_bytes), .set = config_value_max_bytes},
    {CONFIG_LEVEL_NETWORK,
     RANGE("maxConnections", KEY_WHOLE, 1, NETWORK_CONNECTIONS_MAX, "Connections",
           "How many connections a program may have at once; by default 64."),
     .offset = offsetof(struct network_rules, max_connections)},

    {CONFIG_LEVEL_HOST,
     RULE("host", KEY_STRING, "Host",
          "A name, *. and a name for all names below it, an address of IPv4, or one of IPv6 in "
          "brackets.",
          .pattern = "^" HOST "$"),
     .set = config_value_host},
    {CONFIG_LEVEL_HOST,
     RANGE("ports", KEY_PORTS, 1, NETWORK_PORTS_MAX, "Ports",
           "The ports of the host; by default 80 and 443, or 443 alone with tls."),
     .set = config_value_ports},
    {CONFIG_LEVEL_HOST,
     RANGE("addresses", KEY_STRINGS, 0, NETWORK_RANGES_MAX, "Addresses",
           "Ranges of private addresses, like 10.1.2.0/24, that the host may have.",
           .pattern = "^[0-9A-Fa-f:.]+(/[0-9]{1,3})?$"),
     .set = config_value_addresses},
    {CONFIG_LEVEL_HOST,
     RULE("raw", KEY_BOOLEAN, "Any protocol",
          "If true, a connection through the proxy need not be TLS for this host."),
     .offset = offsetof(struct network_host, raw)},
    {CONFIG_LEVEL_HOST,
     RULE("tls", KEY_STRING, "TLS",
          "terminate: isolator decrypts the requests to this host, adds credentials and encrypts "
          "them again for the host, whose certificate it verifies. Not with raw."),
     .offset = offsetof(struct network_host, terminate), .set = config_value_tls,
     .schema = "{\"enum\": [\"terminate\"]}"},

    {CONFIG_LEVEL_CREDENTIAL,
     RULE("host", KEY_STRING, "Host", "The host of an entry of allow that has tls.",
          .pattern = "^" HOST "$"),
     .offset = offsetof(struct config_credential, host)},
    {CONFIG_LEVEL_CREDENTIAL,
     RANGE("header", KEY_STRING, 1, CREDENTIAL_HEADER_MAX, "Header",
           "The name of the header, by default Authorization; none that says where a request ends "
           "or goes, like Host.",
           .pattern = "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$"),
     .set = config_value_header},
    {CONFIG_LEVEL_CREDENTIAL,
     RULE("from", KEY_STRING, "Place of the value",
          "Where the value is: env:NAME, an environment variable of isolator itself, or "
          "file:/ABSOLUTE/PATH.",
          .pattern = "^(env:[A-Za-z_][A-Za-z0-9_]*$|file:/)"),
     .set = config_value_from},
    {CONFIG_LEVEL_CREDENTIAL,
     RANGE("prefix", KEY_STRING, 1, CREDENTIAL_PREFIX_MAX, "Prefix",
           "The text in front of the value, with its space, like \"Bearer \".",
           .pattern = "^[ -~]+$"),
     .set = config_value_prefix},
};
enum { KEYS = sizeof keys / sizeof *keys };

const struct config_key *network_keys_next(enum config_level level, const struct config_key *key)
{
    return config_keys_in(keys, KEYS, level, key);
}

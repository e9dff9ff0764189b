#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "config/config_values.h"
#include "config/network_rules.h"

int config_value_max_bytes(struct json_reader *reader, const json_t *value, void *object)
{
    long long *max = object;
    const json_int_t bytes = json_integer_value(value);

    if (!json_is_integer(value) || bytes < 1 || bytes > NETWORK_BYTES_MAX) {
        CLEANUP_FREE char *expected =
            string_format("a whole number from 1 to %lld", NETWORK_BYTES_MAX);
        return json_reader_wrong_type(reader, expected);
    }
    *max = bytes;
    return 0;
}

int config_value_host(struct json_reader *reader, const json_t *value, void *object)
{
    CLEANUP_FREE char *text = NULL;

    if (json_reader_string(reader, value, &text) != 0)
        return -1;
    return json_reader_checked(reader, network_host_set_name(object, text, reader->error));
}

int config_value_ports(struct json_reader *reader, const json_t *value, void *object)
{
    const size_t count = json_array_size(value);
    json_t *item;
    size_t i;

    if (count < 1 || count > NETWORK_PORTS_MAX) {
        CLEANUP_FREE char *expected = string_format("an array of 1 to %d ports", NETWORK_PORTS_MAX);
        return json_reader_wrong_type(reader, expected);
    }
    json_array_foreach(value, i, item) {
        int port = 0;

        if (json_reader_whole(reader, item, 1, 65535, &port) != 0)
            return -1;
        if (network_host_add_port(object, (unsigned short)port, reader->error) != 0)
            return json_reader_wrong_value(reader);
    }
    return 0;
}

int config_value_addresses(struct json_reader *reader, const json_t *value, void *object)
{
    struct network_host *host = object;
    CLEANUP(strvec_release) struct strvec ranges = STRVEC_INIT;

    if (json_reader_list(reader, value, &ranges) != 0)
        return -1;
    if (ranges.count > NETWORK_RANGES_MAX) {
        CLEANUP_FREE char *expected =
            string_format("an array of at most %d ranges", NETWORK_RANGES_MAX);
        return json_reader_wrong_type(reader, expected);
    }
    for (size_t i = 0; i < ranges.count; i++) {
        CLEANUP_FREE char *shown = text_escape_short(ranges.items[i], TEXT_SHOWN_MAX);

        if (!ip_range_parse(ranges.items[i], &host->ranges[host->range_count++]))
            return error_set(reader->error, ERROR_CONFIG,
                             "%s: %s: '%s' is not a range of addresses, like 10.1.2.0/24 or "
                             "2001:db8::/32; the bits after the prefix must be 0",
                             JSON_READER_WHERE(reader), shown);
    }
    return 0;
}

int config_value_tls(struct json_reader *reader, const json_t *value, void *object)
{
    const char *text = json_string_value(value);

    if (!text || strcmp(text, "terminate") != 0)
        return json_reader_wrong_type(reader,
                                      "\"terminate\"; leave the key out to pass TLS through");
    *(bool *)object = true;
    return 0;
}

/* Reads a string with one of the functions that set a member of a credential. */
static int read_credential_text(struct json_reader *reader, const json_t *value,
                                struct config_credential *entry,
                                int (*set)(struct network_credential *, const char *,
                                           struct error *))
{
    CLEANUP_FREE char *text = NULL;

    if (json_reader_string(reader, value, &text) != 0)
        return -1;
    return json_reader_checked(reader, set(&entry->credential, text, reader->error));
}

int config_value_header(struct json_reader *reader, const json_t *value, void *object)
{
    return read_credential_text(reader, value, object, network_credential_set_header);
}

int config_value_from(struct json_reader *reader, const json_t *value, void *object)
{
    return read_credential_text(reader, value, object, network_credential_set_from);
}

int config_value_prefix(struct json_reader *reader, const json_t *value, void *object)
{
    return read_credential_text(reader, value, object, network_credential_set_prefix);
}

#include "config/network_selection.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/host_name.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "config/network_host.h"

void network_selection_release(struct network_selection *selection)
{
    for (size_t i = 0; i < selection->count; i++)
        free(selection->items[i].name);
    free(selection->items);
    *selection = (struct network_selection){.given = false};
}

void network_selection_copy(struct network_selection *copy,
                            const struct network_selection *selection)
{
    network_selection_release(copy);
    *copy = *selection;
    if (selection->count == 0)
        return;
    copy->items = memory_allocate(selection->count * sizeof *copy->items);
    for (size_t i = 0; i < selection->count; i++)
        copy->items[i] = (struct network_item){.name = string_copy(selection->items[i].name),
                                               .port = selection->items[i].port};
}

static bool has_item(const struct network_selection *selection, const char *name,
                     unsigned short port)
{
    for (size_t i = 0; i < selection->count; i++)
        if (selection->items[i].port == port && strcmp(selection->items[i].name, name) == 0)
            return true;
    return false;
}

int network_selection_add(struct network_selection *selection, const char *text,
                          struct error *error)
{
    CLEANUP(network_host_release) struct network_host host = NETWORK_HOST_INIT;
    unsigned short port;

    if (network_host_parse_port(&host, text, &port, error) != 0)
        return -1;
    selection->given = true;
    if (has_item(selection, host.name, port))
        return 0;
    if (selection->count == NETWORK_HOSTS_MAX)
        return error_set(error, ERROR_USAGE, "a request can name at most %d hosts",
                         NETWORK_HOSTS_MAX);
    selection->items =
        memory_resize(selection->items, (selection->count + 1) * sizeof *selection->items);
    selection->items[selection->count++] =
        (struct network_item){.name = steal_pointer(&host.name), .port = port};
    return 0;
}

bool network_selection_has(const struct network_selection *selection, const char *name,
                           unsigned short port)
{
    for (size_t i = 0; i < selection->count; i++) {
        const struct network_item *item = &selection->items[i];

        if ((item->port == 0 || item->port == port) && host_name_matches(name, item->name))
            return true;
    }
    return !selection->given;
}

bool network_selection_equal(const struct network_selection *one,
                             const struct network_selection *other)
{
    if (one->given != other->given || one->count != other->count)
        return false;
    for (size_t i = 0; i < one->count; i++) /* each has an item once */
        if (!has_item(other, one->items[i].name, one->items[i].port))
            return false;
    return true;
}

char *network_item_text(const struct network_item *item)
{
    const bool has_colon = strchr(item->name, ':') != NULL;
    CLEANUP_FREE char *port = item->port > 0 ? string_format(":%u", item->port) : string_copy("");

    return string_format("%s%s%s%s", has_colon ? "[" : "", item->name, has_colon ? "]" : "", port);
}

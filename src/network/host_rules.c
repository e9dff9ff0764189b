#include "network/host_rules.h"

#include <string.h>

#include "base/host_name.h"

/* What the entries say, whatever the request asks for. */
static const struct network_host *find_entry(const struct network_rules *rules, const char *name,
                                             unsigned short port, bool *is_named)
{
    const struct network_host *found = NULL;

    *is_named = false;
    for (size_t i = 0; i < rules->count; i++) {
        const struct network_host *host = &rules->hosts[i];
        const bool has_port = network_host_has_port(host, port);

        if (!host_name_matches(name, host->name))
            continue;
        *is_named = true;
        if (strcmp(host->name, name) == 0)
            return has_port ? host : NULL;
        if (!found && has_port)
            found = host;
    }
    return found;
}

const struct network_host *host_rules_find(const struct network_rules *rules, const char *name,
                                           unsigned short port, enum host_verdict *verdict)
{
    bool is_named;
    const struct network_host *host = find_entry(rules, name, port, &is_named);

    if (!network_selection_has(&rules->selection, name, port))
        *verdict = HOST_NOT_SELECTED;
    else if (host)
        *verdict = HOST_ALLOWED;
    else
        *verdict = is_named ? HOST_OTHER_PORT : HOST_NOT_LISTED;
    return *verdict == HOST_ALLOWED ? host : NULL;
}

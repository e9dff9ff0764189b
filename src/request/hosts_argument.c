#include "request/hosts_argument.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "config/sandbox_policy.h"

bool hosts_argument_offered(const struct config *config, const bool *offered)
{
    bool found = false;

    for (size_t i = 0; i < config->language_count && !found; i++) {
        CLEANUP(sandbox_policy_release) struct sandbox_policy policy;

        config_policy(config, &config->languages[i], &policy);
        found = (!offered || offered[i]) && policy.network_rules.count > 0;
    }
    return found;
}

int hosts_argument_read(struct argument_reader *reader, const char *name, const json_t *value,
                        void *target)
{
    struct network_selection *hosts = target;
    size_t i;
    json_t *item;

    if (!json_is_array(value))
        return argument_wrong(reader, name, "an array of hosts like \"example.com:443\"");
    hosts->given = true;
    json_array_foreach(value, i, item) {
        CLEANUP_FREE char *item_name = string_format("%s[%zu]", name, i);
        const char *text = argument_text(reader, item_name, item);

        if (!text)
            return -1;
        if (network_selection_add(hosts, text, reader->error) != 0)
            return error_prefix(reader->error, "%s", item_name);
    }
    return 0;
}

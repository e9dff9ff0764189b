#include "network/network_log.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_make.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"

static const char *const outcome_names[] = {
    [NETWORK_CONNECTED] = "connected",
    [NETWORK_REFUSED] = "refused",
    [NETWORK_FAILED] = "failed",
};

void network_log_release(struct network_log *log)
{
    for (size_t i = 0; i < log->count; i++) {
        free(log->entries[i].host);
        free(log->entries[i].reason);
    }
    free(log->entries);
    *log = (struct network_log)NETWORK_LOG_INIT;
}

static bool is_same(const struct network_entry *entry, const char *host, unsigned port,
                    enum network_outcome outcome, const char *reason)
{
    return entry->port == port && entry->outcome == outcome && strcmp(entry->host, host) == 0 &&
           (reason ? strcmp(entry->reason, reason) == 0 : !entry->reason);
}

int network_log_add(struct network_log *log, const char *host, unsigned port,
                    enum network_outcome outcome, const char *reason)
{
    CLEANUP_FREE char *escaped = reason ? text_escape(reason) : NULL;
    const bool connected = outcome == NETWORK_CONNECTED;
    size_t at = 0;

    while (at < log->count && !is_same(&log->entries[at], host, port, outcome, escaped))
        at++;
    if (at == log->count &&
        (connected ? log->connected : log->count - log->connected) == NETWORK_LOG_MAX) {
        log->omitted++;
        return -1;
    }
    if (at == log->count) {
        log->connected += connected;
        log->entries = memory_resize(log->entries, (log->count + 1) * sizeof *log->entries);
        log->entries[log->count++] = (struct network_entry){.host = string_copy(host),
                                                            .port = port,
                                                            .outcome = outcome,
                                                            .reason = steal_pointer(&escaped)};
    }
    log->entries[at].connections++;
    return (int)at;
}

void network_log_count(struct network_log *log, int entry, size_t sent, size_t received)
{
    log->bytes += sent + received;
    if (entry < 0)
        return;
    log->entries[entry].sent += sent;
    log->entries[entry].received += received;
}

/* Whether it is told in a warning: a refusal, or what belongs to no host. */
static bool is_warning(const struct network_entry *entry)
{
    return entry->outcome == NETWORK_REFUSED || entry->host[0] == '\0';
}

void network_log_warn(const struct network_log *log, struct strvec *warnings)
{
    unsigned long long more = log->omitted;
    size_t warned = 0;

    for (size_t i = 0; i < log->count; i++) {
        const struct network_entry *entry = &log->entries[i];
        CLEANUP_FREE char *text = string_format("network: %s", entry->reason ? entry->reason : "");

        if (!is_warning(entry) || strvec_contains(warnings, text))
            continue;
        if (warned < NETWORK_WARNINGS_MAX)
            strvec_push_owned(warnings, steal_pointer(&text));
        else
            more += entry->connections;
        warned++;
    }
    if (more > 0)
        strvec_pushf(warnings, "network: %llu more connections are not listed here", more);
}

static json_t *entry_to_json(const struct network_entry *entry)
{
    const bool named = entry->host[0] != '\0';
    json_t *object = json_object();

    json_object_set_new(object, "host", json_make_text(named ? entry->host : NULL));
    json_object_set_new(object, "port", named ? json_integer(entry->port) : json_null());
    json_object_set_new(object, "status", json_string(outcome_names[entry->outcome]));
    json_object_set_new(object, "count", json_integer((json_int_t)entry->connections));
    json_object_set_new(object, "bytesSent", json_integer((json_int_t)entry->sent));
    json_object_set_new(object, "bytesReceived", json_integer((json_int_t)entry->received));
    json_object_set_new(object, "reason", json_make_text(entry->reason));
    return object;
}

json_t *network_log_to_json(const struct network_log *log)
{
    json_t *object = json_object(), *connections = json_array();

    for (size_t i = 0; i < log->count; i++)
        json_array_append_new(connections, entry_to_json(&log->entries[i]));
    json_object_set_new(object, "connections", connections);
    json_object_set_new(object, "omitted", json_integer((json_int_t)log->omitted));
    json_object_set_new(object, "bytes", json_integer((json_int_t)log->bytes));
    return object;
}

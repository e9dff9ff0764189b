#include "tools/tool_set.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/thread.h"
#include "tools/server_guard.h"

struct set_server {
    struct tool_source source;
    struct upstream *upstream; /* owned; NULL: not wanted yet. With the lock of the set */
};

struct tool_set {
    const struct config *config;
    struct server_guard guard;
    pthread_mutex_t lock;
    struct set_server *servers; /* owned; in the order of the configuration */
    size_t count;
    bool ending; /* no server is wanted any more; with the lock */
};

struct tool_set *tool_set_new(const struct config *config, struct error *error)
{
    struct tool_set *set = memory_allocate(sizeof *set);

    *set = (struct tool_set){.config = config};
    pthread_mutex_init(&set->lock, NULL);
    server_guard_start(&set->guard);
    set->servers = memory_allocate(config->tool_count * sizeof *set->servers);
    for (; set->count < config->tool_count; set->count++) {
        struct tool_source *source = &set->servers[set->count].source;

        set->servers[set->count] = (struct set_server){.upstream = NULL};
        source->server = &config->tools[set->count];
        if (tool_rules_init(&source->rules, source->server, error) == 0)
            continue;
        tool_rules_release(&source->rules);
        tool_set_free(set);
        return NULL;
    }
    return set;
}

void tool_set_end(struct tool_set *set)
{
    if (!set)
        return;
    THREAD_LOCK(&set->lock);
    set->ending = true;
    for (size_t i = 0; i < set->count; i++)
        if (set->servers[i].upstream)
            upstream_end(set->servers[i].upstream);
}

bool tool_set_wait(const struct tool_set *set, long long deadline)
{
    for (size_t i = 0; set && i < set->count; i++)
        if (set->servers[i].upstream && !upstream_wait(set->servers[i].upstream, deadline))
            return false;
    return true;
}

void tool_set_free(struct tool_set *set)
{
    if (!set)
        return;
    tool_set_end(set);
    for (size_t i = 0; i < set->count; i++) {
        upstream_free(set->servers[i].upstream);
        tool_rules_release(&set->servers[i].source.rules);
    }
    server_guard_end(&set->guard);
    pthread_mutex_destroy(&set->lock);
    free(set->servers);
    free(set);
}

const struct tool_limits *tool_set_limits(const struct tool_set *set)
{
    return &set->config->tool_limits;
}

const struct tool_source *tool_set_find(const struct tool_set *set, const char *name)
{
    for (size_t i = 0; i < set->count; i++)
        if (strcmp(set->servers[i].source.server->name, name) == 0)
            return &set->servers[i].source;
    return NULL;
}

/* With the lock. */
static struct upstream *make_upstream(const struct tool_set *set, const struct tool_server *server,
                                      struct error *error)
{
    struct upstream *upstream = upstream_new(server, &set->config->tool_limits, &set->guard, error);

    if (upstream)
        upstream_hide_errors(upstream);
    return upstream;
}

struct upstream *tool_set_upstream(struct tool_set *set, const struct tool_source *source,
                                   struct error *error)
{
    struct set_server *server = (struct set_server *)source; /* the first member of one of ours */
    struct upstream *upstream;

    THREAD_LOCK(&set->lock);
    if (!server->upstream && set->ending)
        error_set(error, ERROR_CANCELLED, "isolator ends");
    else if (!server->upstream)
        server->upstream = make_upstream(set, source->server, error);
    upstream = server->upstream;
    return upstream;
}

#include "tools/tool_box.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "tools/server_guard.h"

struct box_server {
    struct tool_source source;
    struct upstream *upstream; /* owned; NULL: not wanted yet. With the lock of the box */
};

struct tool_box {
    const struct config *config;
    struct server_guard guard;
    pthread_mutex_t lock;
    struct box_server *servers; /* owned; in the order of the configuration */
    size_t count;
    bool ending; /* no server is wanted any more; with the lock */
};

struct tool_box *tool_box_new(const struct config *config, struct error *error)
{
    struct tool_box *box = memory_allocate(sizeof *box);

    *box = (struct tool_box){.config = config};
    pthread_mutex_init(&box->lock, NULL);
    server_guard_start(&box->guard);
    box->servers = memory_allocate(config->tool_count * sizeof *box->servers);
    for (; box->count < config->tool_count; box->count++) {
        struct tool_source *source = &box->servers[box->count].source;

        box->servers[box->count] = (struct box_server){.upstream = NULL};
        source->server = &config->tools[box->count];
        if (tool_rules_init(&source->rules, source->server, error) == 0)
            continue;
        tool_rules_release(&source->rules);
        tool_box_free(box);
        return NULL;
    }
    return box;
}

void tool_box_end(struct tool_box *box)
{
    if (!box)
        return;
    pthread_mutex_lock(&box->lock);
    box->ending = true;
    for (size_t i = 0; i < box->count; i++)
        if (box->servers[i].upstream)
            upstream_end(box->servers[i].upstream);
    pthread_mutex_unlock(&box->lock);
}

bool tool_box_wait(const struct tool_box *box, long long deadline)
{
    for (size_t i = 0; box && i < box->count; i++)
        if (box->servers[i].upstream && !upstream_wait(box->servers[i].upstream, deadline))
            return false;
    return true;
}

void tool_box_free(struct tool_box *box)
{
    if (!box)
        return;
    tool_box_end(box);
    for (size_t i = 0; i < box->count; i++) {
        upstream_free(box->servers[i].upstream);
        tool_rules_release(&box->servers[i].source.rules);
    }
    server_guard_end(&box->guard);
    pthread_mutex_destroy(&box->lock);
    free(box->servers);
    free(box);
}

const struct tool_limits *tool_box_limits(const struct tool_box *box)
{
    return &box->config->tool_limits;
}

const struct tool_source *tool_box_find(const struct tool_box *box, const char *name)
{
    for (size_t i = 0; i < box->count; i++)
        if (strcmp(box->servers[i].source.server->name, name) == 0)
            return &box->servers[i].source;
    return NULL;
}

/* With the lock. */
static struct upstream *make_upstream(const struct tool_box *box, const struct tool_server *server,
                                      struct error *error)
{
    struct upstream *upstream = upstream_new(server, &box->config->tool_limits, &box->guard, error);

    if (upstream)
        upstream_hide_errors(upstream);
    return upstream;
}

struct upstream *tool_box_upstream(struct tool_box *box, const struct tool_source *source,
                                   struct error *error)
{
    struct box_server *server = (struct box_server *)source; /* the first member of one of ours */
    struct upstream *upstream;

    pthread_mutex_lock(&box->lock);
    if (!server->upstream && box->ending)
        error_set(error, ERROR_CANCELLED, "isolator ends");
    else if (!server->upstream)
        server->upstream = make_upstream(box, source->server, error);
    upstream = server->upstream;
    pthread_mutex_unlock(&box->lock);
    return upstream;
}

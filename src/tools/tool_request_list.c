#include "tools/tool_request_state.h"

#include "base/cleanup.h"
#include "base/strbuf.h"
#include "tools/tool_answer.h"

/* ---- the list of a server */

struct upstream_listing *tool_request_ask(struct tool_use *use, const struct tool_source *source,
                                          struct error *error)
{
    struct upstream *upstream = tool_set_upstream(use->set, source, error);

    return upstream ? upstream_listing_start(upstream, &use->done) : NULL;
}

enum upstream_outcome tool_request_take_list(struct tool_request *request,
                                             struct upstream_tools **tools, char **why)
{
    const enum upstream_outcome outcome = upstream_listing_take(request->listing, tools, why);

    if (outcome != UPSTREAM_PENDING)
        request->listing = NULL;
    if (outcome == UPSTREAM_FAILED)
        tool_log_warn(request->use->log, *why);
    return outcome;
}

/* ---- tools/list */

/* What is listed of a tool. */
static json_t *make_item(const struct tool_source *source, const struct tool_entry *tool)
{
    CLEANUP_FREE char *name = string_format("%s.%s", source->server->name, tool->name);
    json_t *item =
        json_pack("{s:s, s:o}", "name", name, "inputSchema", json_deep_copy(tool->input_schema));

    if (tool->title)
        json_object_set_new(item, "title", json_string(tool->title));
    if (tool->description)
        json_object_set_new(item, "description", json_string(tool->description));
    if (tool->output_schema)
        json_object_set_new(item, "outputSchema", json_deep_copy(tool->output_schema));
    return item;
}

static void add_to_page(struct tool_request *request, const struct tool_source *source,
                        const struct tool_entry *tool)
{
    json_t *item = make_item(source, tool);
    const size_t size = json_dumpb(item, NULL, 0, JSON_COMPACT);

    if (size > TOOL_REQUEST_TOOL_BYTES) {
        CLEANUP_FREE char *text = string_format("the tool '%s.%s' is not listed: what its server "
                                                "says of it has %zu bytes",
                                                source->server->name, tool->name, size);

        tool_log_warn(request->use->log, text);
        json_decref(item);
        return;
    }
    request->page_bytes += size;
    json_array_append_new(request->page, item);
}

/* Whether the program may call it, if only with the consent of a person. */
static bool is_listed(const struct tool_use *use, enum tool_verdict verdict)
{
    return verdict == TOOL_ALLOWED || (verdict == TOOL_ASK && use->consent->asker);
}

static bool is_full(const struct tool_request *request)
{
    return request->page_bytes >= TOOL_REQUEST_PAGE_BYTES;
}

static void go_to_next_server(struct tool_request *request)
{
    request->server++;
    request->tool = 0;
}

/* Adds allowed tools of a server, until the page is full. */
static void add_tools(struct tool_request *request, const struct tool_source *source,
                      const struct upstream_tools *tools)
{
    for (; request->tool < tools->count; request->tool++) {
        const struct tool_entry *tool = &tools->items[request->tool];

        if (is_full(request))
            return;
        if (is_listed(request->use,
                      tool_rules_verdict(&source->rules, tool->name, tool->has_read_only_hint)))
            add_to_page(request, source, tool);
    }
    go_to_next_server(request);
}

/* Adds what the next server has; one that fails has nothing. Returns whether it has answered. */
static bool add_server(struct tool_request *request)
{
    struct tool_use *use = request->use;
    const struct tool_source *source =
        tool_set_find(use->set, use->servers->items[request->server]);
    CLEANUP(upstream_tools_release) struct upstream_tools *tools = NULL;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP_FREE char *why = NULL;

    if (!request->listing && source)
        request->listing = tool_request_ask(use, source, &error);
    if (!request->listing) {
        go_to_next_server(request);
        return true;
    }
    switch (tool_request_take_list(request, &tools, &why)) {
    case UPSTREAM_PENDING:
        return false;
    case UPSTREAM_FAILED:
        go_to_next_server(request);
        return true;
    default:
        add_tools(request, source, tools);
        return true;
    }
}

json_t *tool_request_serve_list(struct tool_request *request)
{
    const size_t servers = request->use->servers->count;
    json_t *result;

    if (request->use->pages_left == 0) {
        notifier_raise(&request->use->done);
        return NULL;
    }
    while (request->server < servers && !is_full(request))
        if (!add_server(request))
            return NULL;
    request->use->pages_left--;
    result = json_pack("{s:O}", "tools", request->page);
    if (request->server < servers)
        json_object_set_new(result, "nextCursor",
                            json_sprintf("%zu.%zu", request->server, request->tool));
    return tool_answer(request->id, result);
}

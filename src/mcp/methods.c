#include "mcp/methods.h"

#include <string.h>

#include "base/cleanup.h"
#include "config/tool_arguments.h"
#include "mcp/jsonrpc.h"
#include "mcp/resources.h"
#include "mcp/tool.h"
#include "mcp/tool_result.h"

/* A string member of the params, borrowed; NULL with the error answered where it is none. */
static const char *need_string(struct exchange *exchange, const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    const char *text = json_string_value(value);

    if (text && strlen(text) == json_string_length(value))
        return text;
    responder_error(exchange->responder, JSONRPC_INVALID_PARAMS, NULL, "%s must be a string", name);
    return NULL;
}

/*
 * The cursor of a list, borrowed, or NULL; false, with the error answered, where it is no string.
 */
static bool read_cursor(struct exchange *exchange, const char **cursor)
{
    const json_t *value = json_object_get(exchange->params, "cursor");

    *cursor = NULL;
    if (json_is_null(value))
        return true;
    if (value)
        *cursor = need_string(exchange, exchange->params, "cursor");
    return !value || *cursor;
}

static json_t *refuse_cursor(struct exchange *exchange)
{
    responder_error(exchange->responder, JSONRPC_INVALID_PARAMS, NULL,
                    "the cursor is not valid for this list");
    return NULL;
}

/* ---- beginning */

static json_t *capabilities(const struct revision *revision)
{
    json_t *object = json_pack("{s:{}, s:{}}", "tools", "resources");

    if (revision->annotations)
        json_object_set_new(object, "completions", json_object());
    return object;
}

static json_t *handle_initialize(struct exchange *exchange)
{
    struct server *server = exchange->server;
    const char *version = need_string(exchange, exchange->params, "protocolVersion");
    CLEANUP_FREE char *instructions = tool_instructions(server->config);

    if (!version)
        return NULL;
    server->legacy = exchange->responder->revision = revision_legacy(version);
    return json_pack("{s:s, s:o, s:o, s:s}", "protocolVersion", server->legacy->name,
                     "capabilities", capabilities(server->legacy), "serverInfo",
                     responder_server_info(server->legacy), "instructions", instructions);
}

static json_t *handle_ping(struct exchange *exchange)
{
    (void)exchange;
    return json_object();
}

json_t *method_modern_versions(void)
{
    json_t *versions = json_array();
    const char *name;

    for (int i = 0; (name = revision_modern_name(i)); i++)
        json_array_append_new(versions, json_string(name));
    return versions;
}

static json_t *handle_discover(struct exchange *exchange)
{
    CLEANUP_FREE char *instructions = tool_instructions(exchange->server->config);

    return json_pack("{s:o, s:o, s:s}", "supportedVersions", method_modern_versions(),
                     "capabilities", capabilities(exchange->responder->revision), "instructions",
                     instructions);
}

/* ---- the tool */

static json_t *handle_tools_list(struct exchange *exchange)
{
    const char *cursor;

    if (!read_cursor(exchange, &cursor))
        return NULL;
    if (cursor)
        return refuse_cursor(exchange);
    service_start_pool(
        &exchange->server->service); /* who wants to know the tool wants to call it */
    return json_pack("{s:[o]}", "tools",
                     tool_definition(exchange->server->config, exchange->responder->revision));
}

/*
 * Wrong arguments: a result that a model sees and can act on since 2025-11-25, an error of the
 * protocol before (server/tools, "Error Handling").
 */
static json_t *refuse_arguments(struct exchange *exchange, const struct error *error)
{
    if (exchange->responder->revision->argument_results || error->kind == ERROR_SYSTEM)
        return tool_result_of_failure(error->message);
    responder_error(exchange->responder, JSONRPC_INVALID_PARAMS, NULL, "%s", error->message);
    return NULL;
}

/* Hands the plan over to the service; the call is answered later. */
static json_t *submit(struct exchange *exchange, struct plan *plan)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const json_t *meta = json_object_get(exchange->params, "_meta");
    json_t *token = json_object_get(meta, "progressToken");
    struct call *call = call_new();

    call->token = jsonrpc_is_id(token) ? json_copy(token) : NULL;
    call->responder = *exchange->responder;
    if (calls_submit(&exchange->server->calls, call, plan, &error) == 0) {
        service_start_pool(&exchange->server->service);
        *exchange->responder = (struct responder){.writer = NULL};
        return NULL;
    }
    call->responder = (struct responder){.writer = NULL};
    call_free(call);
    return tool_result_of_failure(error.message);
}

static json_t *handle_tools_call(struct exchange *exchange)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const struct config *config = exchange->server->config;
    const char *name = need_string(exchange, exchange->params, "name");
    const json_t *arguments = json_object_get(exchange->params, "arguments");
    CLEANUP(request_release) struct request request;
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;

    request_init(&request);
    if (!name)
        return NULL;
    if (strcmp(name, TOOL_NAME) != 0) {
        responder_error(exchange->responder, JSONRPC_INVALID_PARAMS, NULL,
                        "there is no tool '%.200s'; there is %s", name, TOOL_NAME);
        return NULL;
    }
    if (arguments && !json_is_object(arguments) && !json_is_null(arguments)) {
        responder_error(exchange->responder, JSONRPC_INVALID_PARAMS, NULL,
                        "arguments must be an object");
        return NULL;
    }
    if (tool_arguments_read(arguments, config, &request, &error) == 0 &&
        plan_resolve(&plan, config, &request, &error) == 0)
        return submit(exchange, &plan);
    error_name_subject(&error, tool_arguments_namer);
    return refuse_arguments(exchange, &error);
}

/* ---- resources */

static json_t *handle_resources_list(struct exchange *exchange)
{
    const char *cursor;
    json_t *result;

    if (!read_cursor(exchange, &cursor))
        return NULL;
    result = resources_list(exchange->server->config, cursor);
    return result ? result : refuse_cursor(exchange);
}

static json_t *handle_templates_list(struct exchange *exchange)
{
    const char *cursor;

    if (!read_cursor(exchange, &cursor))
        return NULL;
    return cursor ? refuse_cursor(exchange) : resources_templates();
}

static json_t *handle_resources_read(struct exchange *exchange)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct server *server = exchange->server;
    const char *uri = need_string(exchange, exchange->params, "uri");
    json_t *result;

    if (!uri)
        return NULL;
    result = resources_read(server->config, &server->store, uri, &error);
    if (!result)
        responder_error(exchange->responder,
                        exchange->responder->revision->modern ? JSONRPC_INVALID_PARAMS
                                                              : JSONRPC_RESOURCE_NOT_FOUND,
                        strlen(uri) <= 4096 ? json_pack("{s:s}", "uri", uri) : NULL,
                        "cannot read the resource: %s", error.message);
    return result;
}

static json_t *handle_complete(struct exchange *exchange)
{
    const json_t *ref = json_object_get(exchange->params, "ref");
    const json_t *argument = json_object_get(exchange->params, "argument");
    const char *type = need_string(exchange, ref, "type");
    const char *uri, *name, *value;
    json_t *result;

    if (!type)
        return NULL;
    if (strcmp(type, "ref/resource") != 0) {
        responder_error(exchange->responder, JSONRPC_INVALID_PARAMS, NULL,
                        "only arguments of resource templates (ref/resource) can be completed");
        return NULL;
    }
    if (!(uri = need_string(exchange, ref, "uri")) ||
        !(name = need_string(exchange, argument, "name")) ||
        !(value = need_string(exchange, argument, "value")))
        return NULL;
    result = resources_complete(exchange->server->config, uri, name, value);
    if (!result)
        responder_error(exchange->responder, JSONRPC_INVALID_PARAMS, NULL,
                        "there is no argument '%.200s' of a template '%.200s'", name, uri);
    return result;
}

/* ---- subscriptions */

static json_t *handle_listen(struct exchange *exchange)
{
    if (json_is_object(json_object_get(exchange->params, "notifications")))
        subscriptions_open(&exchange->server->subscriptions, exchange->responder);
    else
        responder_error(exchange->responder, JSONRPC_INVALID_PARAMS, NULL,
                        "notifications must be an object");
    return NULL;
}

/* ---- the table */

/* Milliseconds that a client may keep an answer; the snippets may change at any time. */
enum { STALE = 0, FIVE_MINUTES = 300000 };

static const struct method methods[] = {
    {"initialize", ERA_LEGACY, handle_initialize, METHOD_NO_TTL},
    {"ping", ERA_LEGACY, handle_ping, METHOD_NO_TTL},
    {"server/discover", ERA_MODERN, handle_discover, FIVE_MINUTES},
    {"tools/list", ERA_BOTH, handle_tools_list, FIVE_MINUTES},
    {"tools/call", ERA_BOTH, handle_tools_call, METHOD_NO_TTL},
    {"resources/list", ERA_BOTH, handle_resources_list, STALE},
    {"resources/templates/list", ERA_BOTH, handle_templates_list, FIVE_MINUTES},
    {"resources/read", ERA_BOTH, handle_resources_read, STALE},
    {"completion/complete", ERA_BOTH, handle_complete, METHOD_NO_TTL},
    {"subscriptions/listen", ERA_MODERN, handle_listen, METHOD_NO_TTL},
};

const struct method *method_find(const char *name)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(methods[i].name, name) == 0)
            return &methods[i];
    return NULL;
}

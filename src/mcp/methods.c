#include "mcp/methods.h"

#include <string.h>

#include "base/cleanup.h"
#include "mcp/jsonrpc.h"
#include "mcp/resource_templates.h"
#include "mcp/resources.h"
#include "mcp/tool.h"
#include "mcp/tool_calls.h"

/* The cursor of a list, borrowed, or NULL. False, with the error sent, if it is not a string. */
static bool read_cursor(struct request_context *context, const char **cursor)
{
    const json_t *value = json_object_get(context->params, "cursor");

    *cursor = NULL;
    if (json_is_null(value))
        return true;
    if (value)
        *cursor = responder_need_string(context->responder, context->params, "cursor");
    return !value || *cursor;
}

static json_t *refuse_cursor(struct request_context *context)
{
    responder_error(context->responder, JSONRPC_INVALID_PARAMS, NULL,
                    "the cursor is not valid for this list");
    return NULL;
}

/* ---- the start of a connection */

static json_t *capabilities(const struct revision *revision)
{
    json_t *object = json_pack("{s:{}, s:{}}", "tools", "resources");

    if (revision->annotations)
        json_object_set_new(object, "completions", json_object());
    return object;
}

static json_t *handle_initialize(struct request_context *context)
{
    struct connection *connection = context->connection;
    const char *version =
        responder_need_string(context->responder, context->params, "protocolVersion");
    CLEANUP_FREE char *instructions = tool_instructions(connection->config);

    if (!version)
        return NULL;
    tool_list_ask(&connection->tools); /* most clients list the tools next */
    connection->legacy = context->responder->revision = revision_legacy(version);
    connection->client = known_client_find(json_object_get(context->params, "clientInfo"));
    questions_set_client(&connection->questions, connection->legacy,
                         json_object_get(context->params, "capabilities"));
    return json_pack("{s:s, s:o, s:o, s:s}", "protocolVersion", connection->legacy->name,
                     "capabilities", capabilities(connection->legacy), "serverInfo",
                     responder_server_info(connection->legacy), "instructions", instructions);
}

static json_t *handle_ping(struct request_context *context)
{
    (void)context;
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

static json_t *handle_discover(struct request_context *context)
{
    CLEANUP_FREE char *instructions = tool_instructions(context->connection->config);

    tool_list_ask(&context->connection->tools);
    return json_pack("{s:o, s:o, s:s}", "supportedVersions", method_modern_versions(),
                     "capabilities", capabilities(context->responder->revision), "instructions",
                     instructions);
}

/* ---- the tools */

static json_t *handle_tools_list(struct request_context *context)
{
    const char *cursor;

    if (!read_cursor(context, &cursor))
        return NULL;
    if (cursor)
        return refuse_cursor(context);
    service_start_pool(
        &context->connection->service); /* a client that lists the tools will call one */
    tool_list_request(&context->connection->tools, context->responder);
    return NULL;
}

/* ---- resources */

static json_t *handle_resources_list(struct request_context *context)
{
    const char *cursor;
    json_t *result;

    if (!read_cursor(context, &cursor))
        return NULL;
    result = resources_list(context->connection->config, cursor);
    return result ? result : refuse_cursor(context);
}

static json_t *handle_templates_list(struct request_context *context)
{
    const char *cursor;

    if (!read_cursor(context, &cursor))
        return NULL;
    return cursor ? refuse_cursor(context) : resource_templates_list(context->connection->config);
}

static json_t *handle_resources_read(struct request_context *context)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct connection *connection = context->connection;
    const char *uri = responder_need_string(context->responder, context->params, "uri");
    json_t *result;

    if (!uri)
        return NULL;
    result = resources_read(connection->config, &connection->store, uri, &error);
    if (!result)
        responder_error(context->responder,
                        context->responder->revision->modern ? JSONRPC_INVALID_PARAMS
                                                             : JSONRPC_RESOURCE_NOT_FOUND,
                        strlen(uri) <= 4096 ? json_pack("{s:s}", "uri", uri) : NULL,
                        "cannot read the resource: %s", error.message);
    return result;
}

static json_t *handle_complete(struct request_context *context)
{
    const json_t *ref = json_object_get(context->params, "ref");
    const json_t *argument = json_object_get(context->params, "argument");
    const char *type = responder_need_string(context->responder, ref, "type");
    const char *uri, *name, *value;
    json_t *result;

    if (!type)
        return NULL;
    if (strcmp(type, "ref/resource") != 0) {
        responder_error(context->responder, JSONRPC_INVALID_PARAMS, NULL,
                        "only arguments of resource templates (ref/resource) can be completed");
        return NULL;
    }
    if (!(uri = responder_need_string(context->responder, ref, "uri")) ||
        !(name = responder_need_string(context->responder, argument, "name")) ||
        !(value = responder_need_string(context->responder, argument, "value")))
        return NULL;
    result = resource_templates_complete(context->connection->config, uri, name, value);
    if (!result)
        responder_error(context->responder, JSONRPC_INVALID_PARAMS, NULL,
                        "there is no argument '%.200s' of a template '%.200s'", name, uri);
    return result;
}

/* ---- subscriptions */

static json_t *handle_listen(struct request_context *context)
{
    if (json_is_object(json_object_get(context->params, "notifications")))
        subscriptions_open(&context->connection->subscriptions, context->responder);
    else
        responder_error(context->responder, JSONRPC_INVALID_PARAMS, NULL,
                        "notifications must be an object");
    return NULL;
}

/* ---- the table */

/* How long a client may keep a result, in ms. The snippets may change at any time. */
enum { NO_CACHING = 0, FIVE_MINUTES = 300000 };

static const struct method methods[] = {
    {"initialize", ERA_LEGACY, handle_initialize, METHOD_NO_TTL},
    {"ping", ERA_LEGACY, handle_ping, METHOD_NO_TTL},
    {"server/discover", ERA_MODERN, handle_discover, FIVE_MINUTES},
    {"tools/list", ERA_BOTH, handle_tools_list, METHOD_NO_TTL},
    {"tools/call", ERA_BOTH, tool_calls_handle, METHOD_NO_TTL},
    {"resources/list", ERA_BOTH, handle_resources_list, NO_CACHING},
    {"resources/templates/list", ERA_BOTH, handle_templates_list, FIVE_MINUTES},
    {"resources/read", ERA_BOTH, handle_resources_read, NO_CACHING},
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

#include "mcp/methods.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "mcp/file_uris.h"
#include "mcp/jsonrpc.h"
#include "mcp/resource_templates.h"
#include "mcp/resources.h"
#include "mcp/tool.h"
#include "mcp/tool_result.h"
#include "request/session_arguments.h"
#include "request/tool_arguments.h"

/* A string member of an object, borrowed; NULL, with the error sent, if it is not a string. */
static const char *need_string(struct request_context *context, const json_t *object,
                               const char *name)
{
    const json_t *value = json_object_get(object, name);
    const char *text = json_string_value(value);

    if (text && strlen(text) == json_string_length(value))
        return text;
    responder_error(context->responder, JSONRPC_INVALID_PARAMS, NULL, "%s must be a string", name);
    return NULL;
}

/* The cursor of a list, borrowed, or NULL. False, with the error sent, if it is not a string. */
static bool read_cursor(struct request_context *context, const char **cursor)
{
    const json_t *value = json_object_get(context->params, "cursor");

    *cursor = NULL;
    if (json_is_null(value))
        return true;
    if (value)
        *cursor = need_string(context, context->params, "cursor");
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
    const char *version = need_string(context, context->params, "protocolVersion");
    CLEANUP_FREE char *instructions = tool_instructions(connection->config);

    if (!version)
        return NULL;
    tool_list_ask(&connection->tools); /* most clients list the tools next */
    connection->legacy = context->responder->revision = revision_legacy(version);
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

/* ---- the tool */

static bool can_ask(const struct request_context *context)
{
    return questions_can_ask(&context->connection->questions, context->responder->revision,
                             context->capabilities);
}

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

/*
 * Invalid arguments: since 2025-11-25 a tool result, which a model sees and can act on; before, an
 * error (server/tools, "Error Handling").
 */
static json_t *refuse_arguments(struct request_context *context, const struct error *error)
{
    if (context->responder->revision->argument_results || error->kind == ERROR_SYSTEM)
        return tool_result_of_failure(error->message);
    responder_error(context->responder, JSONRPC_INVALID_PARAMS, NULL, "%s", error->message);
    return NULL;
}

/* The call may ask the person at the client, in the way of its revision. */
static void let_ask(const struct request_context *context, struct call *call)
{
    struct connection *connection = context->connection;
    char digest[SHA256_HEX_SIZE];

    if (!can_ask(context))
        return;
    call->asker = &connection->questions.asker;
    if (!call->responder.revision->modern)
        return;
    round_digest(TOOL_NAME, json_object_get(context->params, "arguments"), digest);
    calls_ask_in_rounds(&connection->calls, call, digest);
}

/* Hands the plan over to the service. The response comes when it has run. */
static json_t *submit(struct request_context *context, struct plan *plan)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct call *call = call_new();

    progress_init(&call->progress, context->params);
    call->responder = *context->responder;
    let_ask(context, call);
    if (calls_submit(&context->connection->calls, call, plan, &error) == 0) {
        service_start_pool(&context->connection->service);
        *context->responder = (struct responder){.writer = NULL};
        return NULL;
    }
    call->responder = (struct responder){.writer = NULL};
    call_free(call);
    return tool_result_of_failure(error.message);
}

/* Starts a job. The response comes when it has started. */
static json_t *submit_job(struct request_context *context, struct plan *plan)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (job_calls_start(&context->connection->jobs, context->responder, context->params, plan,
                        &error) == 0)
        return NULL;
    return tool_result_of_failure(error.message);
}

static json_t *call_execute(struct request_context *context, const json_t *arguments)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const struct config *config = context->connection->config;
    struct file_uris uris = {config, &context->connection->store};
    const struct tool_client client = {.opener = file_uris_opener(&uris),
                                       .offered = tool_list_offered(&context->connection->tools),
                                       .tools = &context->connection->tool_servers};
    CLEANUP(request_release) struct request request;
    CLEANUP(plan_release) struct plan plan = PLAN_INIT;

    request_init(&request);
    if (tool_arguments_read(arguments, TOOL_CALLER_MODEL, config, &client, &request, &error) == 0) {
        request.max_artifact_bytes = config->max_stored_bytes;
        if (service_find_session(&context->connection->service, &request, &error) != 0)
            return tool_result_of_failure(error.message);
        if (plan_resolve(&plan, config, &request, &error) == 0)
            return request.background ? submit_job(context, &plan) : submit(context, &plan);
    }
    error_name_subject(&error, tool_arguments_namer);
    return refuse_arguments(context, &error);
}

static json_t *call_close(struct request_context *context, const json_t *arguments)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    char id[SESSION_ID_SIZE];

    if (session_arguments_read_close(arguments, id, &error) != 0)
        return refuse_arguments(context, &error);
    if (service_close_session(&context->connection->service, id, &error) != 0)
        return tool_result_of_failure(error.message);
    return tool_result_of_text("the session is closed; its files and variables are deleted");
}

static json_t *call_wait(struct request_context *context, const json_t *arguments)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct wait_arguments wait;

    if (job_arguments_read_wait(arguments, &wait, &error) != 0)
        return refuse_arguments(context, &error);
    if (job_calls_wait(&context->connection->jobs, context->responder, context->params, &wait,
                       &error) == 0)
        return NULL;
    return tool_result_of_failure(error.message);
}

static json_t *call_search(struct request_context *context, const json_t *arguments)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct connection *connection = context->connection;
    struct tool_search_arguments search;
    const int read = tool_search_arguments_read(arguments, &search, &error);
    const struct tool_asker *asker = can_ask(context) ? &connection->questions.asker : NULL;
    int begun = -1;

    if (read == 0)
        begun =
            tool_searches_begin(&connection->searches, context->responder, &search, asker, &error);
    strvec_release(&search.words);
    if (read != 0)
        return refuse_arguments(context, &error);
    return begun == 0 ? NULL : tool_result_of_failure(error.message);
}

/* A call that the client repeats, since its response was a question. */
static json_t *call_again(struct request_context *context, const char *name)
{
    struct round_key key;
    const char *state = need_string(context, context->params, "requestState");

    if (!state)
        return NULL;
    round_digest(name, json_object_get(context->params, "arguments"), key.digest);
    snprintf(key.state, sizeof key.state, "%s", state);
    if (strlen(state) != sizeof key.state - 1 ||
        !calls_resume(&context->connection->calls, &key, context->responder, context->params))
        responder_error(context->responder, JSONRPC_INVALID_PARAMS, NULL,
                        "requestState was used before, or belongs to another call or server; call "
                        "the tool without it");
    return NULL;
}

static json_t *handle_tools_call(struct request_context *context)
{
    const struct config *config = context->connection->config;
    const char *name = need_string(context, context->params, "name");
    const json_t *arguments = json_object_get(context->params, "arguments");

    if (!name)
        return NULL;
    if (!tool_exists(config, name)) {
        CLEANUP_FREE char *known = tool_names(config);

        responder_error(context->responder, JSONRPC_INVALID_PARAMS, NULL,
                        "there is no tool '%.200s'; known are: %s", name, known);
        return NULL;
    }
    if (arguments && !json_is_object(arguments) && !json_is_null(arguments)) {
        responder_error(context->responder, JSONRPC_INVALID_PARAMS, NULL,
                        "arguments must be an object");
        return NULL;
    }
    if (context->responder->revision->modern && json_object_get(context->params, "requestState"))
        return call_again(context, name);
    if (strcmp(name, TOOL_CLOSE_NAME) == 0)
        return call_close(context, arguments);
    if (strcmp(name, TOOL_WAIT_NAME) == 0)
        return call_wait(context, arguments);
    if (strcmp(name, TOOL_SEARCH_NAME) == 0)
        return call_search(context, arguments);
    return call_execute(context, arguments);
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
    const char *uri = need_string(context, context->params, "uri");
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
    const char *type = need_string(context, ref, "type");
    const char *uri, *name, *value;
    json_t *result;

    if (!type)
        return NULL;
    if (strcmp(type, "ref/resource") != 0) {
        responder_error(context->responder, JSONRPC_INVALID_PARAMS, NULL,
                        "only arguments of resource templates (ref/resource) can be completed");
        return NULL;
    }
    if (!(uri = need_string(context, ref, "uri")) ||
        !(name = need_string(context, argument, "name")) ||
        !(value = need_string(context, argument, "value")))
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
    {"tools/call", ERA_BOTH, handle_tools_call, METHOD_NO_TTL},
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

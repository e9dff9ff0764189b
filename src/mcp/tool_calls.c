#include "mcp/tool_calls.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "mcp/file_uris.h"
#include "mcp/jsonrpc.h"
#include "mcp/tool.h"
#include "mcp/tool_result.h"
#include "request/session_arguments.h"
#include "request/tool_arguments.h"

static bool can_ask(const struct request_context *context)
{
    return questions_can_ask(&context->connection->questions, context->responder->revision,
                             context->capabilities);
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
    call_question_digest(TOOL_NAME, json_object_get(context->params, "arguments"), digest);
    calls_ask_by_responses(&connection->calls, call, digest);
}

/* Hands the plan over to the service. The response comes when it has run. */
static json_t *submit(struct request_context *context, struct plan *plan, struct strvec *warnings)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct call *call = call_new();

    progress_init(&call->progress, context->params);
    call->responder = *context->responder;
    strvec_push_all(&call->warnings, warnings);
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
static json_t *submit_job(struct request_context *context, struct plan *plan,
                          struct strvec *warnings)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;

    if (job_calls_start(&context->connection->jobs, context->responder, context->params, plan,
                        warnings, &error) == 0)
        return NULL;
    return tool_result_of_failure(error.message);
}

/*
 * Some hosts add an id of their own by the name sessionId. One of a session here is meant to be
 * `session`: a container of its own may reach more.
 */
static int check_session_id(struct request_context *context, const json_t *arguments,
                            struct error *error)
{
    const json_t *value = json_object_get(arguments, "sessionId");
    CLEANUP(error_release) struct error ignored = ERROR_INIT;
    CLEANUP(request_release) struct request request;

    request_init(&request);
    if (json_string_length(value) != SESSION_ID_SIZE - 1)
        return 0;
    memcpy(request.session.id, json_string_value(value), SESSION_ID_SIZE);
    return service_find_session(&context->connection->service, &request, &ignored) == 0
               ? error_set(error, ERROR_USAGE,
                           "there is no argument 'sessionId'; did you mean 'session'?")
               : 0;
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
    if (check_session_id(context, arguments, &error) == 0 &&
        tool_arguments_read(arguments, TOOL_CALLER_MODEL, config, &client, &request, &error) == 0) {
        request.max_artifact_bytes = config->max_stored_bytes;
        if (service_find_session(&context->connection->service, &request, &error) != 0) {
            error_hint(&error, "open one with \"session\": \"new\"");
            return tool_result_of_failure(error.message);
        }
        if (plan_resolve(&plan, config, &request, &error) == 0)
            return request.background ? submit_job(context, &plan, &request.warnings)
                                      : submit(context, &plan, &request.warnings);
    }
    error_name_subject(&error, tool_arguments_namer);
    return refuse_arguments(context, &error);
}

static json_t *call_close(struct request_context *context, const json_t *arguments)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec lines = STRVEC_INIT;
    CLEANUP_FREE char *text = NULL;
    char id[SESSION_ID_SIZE];

    strvec_push(&lines, "the session is closed; its files and variables are deleted");
    if (session_arguments_read_close(arguments, id, &lines, &error) != 0)
        return refuse_arguments(context, &error);
    if (service_close_session(&context->connection->service, id, &error) != 0)
        return tool_result_of_failure(error.message);
    text = strvec_join(&lines, "\n");
    return tool_result_of_text(text);
}

static json_t *call_wait(struct request_context *context, const json_t *arguments)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec warnings = STRVEC_INIT;
    struct wait_arguments wait;

    if (job_arguments_read_wait(arguments, &wait, &warnings, &error) != 0)
        return refuse_arguments(context, &error);
    if (job_calls_wait(&context->connection->jobs, context->responder, context->params, &wait,
                       &warnings, &error) == 0)
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
    strvec_release(&search.warnings);
    if (read != 0)
        return refuse_arguments(context, &error);
    return begun == 0 ? NULL : tool_result_of_failure(error.message);
}

/* A call that the client repeats, since its response was a question. */
static json_t *call_again(struct request_context *context, const char *name)
{
    struct call_question_key key;
    const char *state = responder_need_string(context->responder, context->params, "requestState");

    if (!state)
        return NULL;
    call_question_digest(name, json_object_get(context->params, "arguments"), key.digest);
    snprintf(key.state, sizeof key.state, "%s", state);
    if (strlen(state) != sizeof key.state - 1 ||
        !calls_resume(&context->connection->calls, &key, context->responder, context->params))
        responder_error(context->responder, JSONRPC_INVALID_PARAMS, NULL,
                        "requestState was used before, or belongs to another call or server; call "
                        "the tool without it");
    return NULL;
}

static json_t *call_tool(struct request_context *context, const char *name, const json_t *arguments)
{
    if (strcmp(name, TOOL_CLOSE_NAME) == 0)
        return call_close(context, arguments);
    if (strcmp(name, TOOL_WAIT_NAME) == 0)
        return call_wait(context, arguments);
    if (strcmp(name, TOOL_SEARCH_NAME) == 0)
        return call_search(context, arguments);
    return call_execute(context, arguments);
}

/*
 * The arguments that are meant, a new reference or NULL for none: some hosts send them as JSON
 * text, and an empty array for none.
 */
static json_t *read_arguments(json_t *arguments)
{
    struct argument_reader reader = {.error = NULL};
    json_t *meant = argument_meant(&reader, arguments, ARGUMENT_OBJECT);

    if (!json_is_array(meant) || json_array_size(meant) > 0)
        return meant;
    json_decref(meant);
    return NULL;
}

json_t *tool_calls_handle(struct request_context *context)
{
    const struct config *config = context->connection->config;
    const char *name = responder_need_string(context->responder, context->params, "name");
    json_auto_t *arguments = read_arguments(json_object_get(context->params, "arguments"));

    if (!name)
        return NULL;
    if (!tool_exists(config, name)) {
        CLEANUP_FREE char *known = tool_names(config);

        responder_error(context->responder, JSONRPC_INVALID_PARAMS, NULL,
                        "there is no tool '%.200s'; known are: %s", name, known);
        return NULL;
    }
    if (arguments && !json_is_object(arguments)) {
        responder_error(context->responder, JSONRPC_INVALID_PARAMS, NULL,
                        "arguments must be an object");
        return NULL;
    }
    if (context->responder->revision->modern && json_object_get(context->params, "requestState"))
        return call_again(context, name);
    return call_tool(context, name, arguments);
}

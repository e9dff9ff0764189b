#include "tools/tool_request_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "base/text.h"
#include "tools/tool_answer.h"

/* ---- answers */

static void log_call(const struct tool_request *request, bool ok, size_t bytes)
{
    tool_log_add(request->use->log, request->name, ok, clock_now_ms() - request->start, bytes);
}

static json_t *fail_call(const struct tool_request *request, enum jsonrpc_code code,
                         const char *message)
{
    log_call(request, false, 0);
    return tool_answer_error(request->id, code, message);
}

/* The same; the message is taken over. */
static json_t *refuse_call(const struct tool_request *request, char *message)
{
    json_t *answer = fail_call(request, JSONRPC_INVALID_PARAMS, message);

    free(message);
    return answer;
}

/* NULL: the verdict is that the call is allowed, or that a person may allow it. */
static json_t *answer_verdict(const struct tool_request *request, enum tool_verdict verdict)
{
    CLEANUP_FREE char *shown = text_escape_short(request->name, TEXT_SHOWN_MAX);

    if (verdict == TOOL_ALLOWED || (verdict == TOOL_ASK && request->use->consent->asker))
        return NULL;
    if (verdict == TOOL_ASK)
        return refuse_call(request, string_format("the tool '%s' needs a person who agrees to each "
                                                  "call, and there is none to ask",
                                                  shown));
    return refuse_call(request, string_format("the tool '%s' is not allowed", shown));
}

/* ---- tools/call: each step returns the answer, or NULL if there is none yet */

/* The name of the tool without that of its server. */
static const char *own_name(const struct tool_request *request)
{
    return strchr(request->name, '.') + 1;
}

/* The server of the tool, if the program may use that; NULL: no such server. */
static const struct tool_source *source_of(const struct tool_use *use, const char *name)
{
    const char *dot = strchr(name, '.');
    CLEANUP_FREE char *server = string_format("%.*s", dot ? (int)(dot - name) : 0, name);

    return strvec_contains(use->servers, server) ? tool_set_find(use->set, server) : NULL;
}

static json_t *begin_call(struct tool_request *request)
{
    struct tool_use *use = request->use;
    const int max = tool_set_limits(use->set)->calls;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const struct tool_source *source = source_of(use, request->name);
    json_t *answer = NULL;

    if (use->log->begun >= max)
        return refuse_call(request, string_format("all %d calls of tools are made", max));
    use->log->begun++;
    if (!source)
        return answer_verdict(request, TOOL_REFUSED);
    request->source = source;
    if (!source->rules.by_hint) /* what the rules refuse by the name alone needs no server */
        answer =
            answer_verdict(request, tool_rules_verdict(&source->rules, own_name(request), false));
    if (answer)
        return answer;
    request->listing = tool_request_ask(use, source, &error);
    request->state = REQUEST_LISTING;
    return request->listing ? NULL : fail_call(request, JSONRPC_INTERNAL_ERROR, error.message);
}

static json_t *check_call(struct tool_request *request)
{
    CLEANUP(upstream_tools_release) struct upstream_tools *tools = NULL;
    CLEANUP_FREE char *why = NULL;
    const struct tool_entry *tool;
    enum tool_verdict verdict;

    switch (tool_request_take_list(request, &tools, &why)) {
    case UPSTREAM_PENDING:
        return NULL;
    case UPSTREAM_FAILED:
        return fail_call(request, JSONRPC_INTERNAL_ERROR, why);
    default:
        break;
    }
    tool = upstream_tools_find(tools, own_name(request));
    if (!tool) {
        CLEANUP_FREE char *shown = text_escape_short(request->name, TEXT_SHOWN_MAX);

        return refuse_call(request, string_format("there is no tool '%s'", shown));
    }
    verdict = tool_rules_verdict(&request->source->rules, tool->name, tool->has_read_only_hint);
    request->state = verdict == TOOL_ASK ? REQUEST_ASKING : REQUEST_READY;
    return answer_verdict(request, verdict);
}

static json_t *ask_person(struct tool_request *request)
{
    struct tool_use *use = request->use;
    CLEANUP_FREE char *shown = NULL;
    const char *why = NULL;

    switch (tool_consent_ask(use->consent, request, request->name, request->arguments, &use->done,
                             &why)) {
    case TOOL_UNDECIDED:
        return NULL;
    case TOOL_AGREED:
    case TOOL_AGREED_FOR_RUN:
        request->state = REQUEST_READY;
        return NULL;
    default:
        shown = text_escape_short(request->name, TEXT_SHOWN_MAX);
        return refuse_call(request, string_format("the tool '%s' is not called: %s", shown, why));
    }
}

static json_t *start_call(struct tool_request *request)
{
    struct tool_use *use = request->use;
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct upstream *upstream;

    if (use->running >= tool_set_limits(use->set)->at_once)
        return NULL;
    upstream = tool_set_upstream(use->set, request->source, &error);
    if (!upstream)
        return fail_call(request, JSONRPC_INTERNAL_ERROR, error.message);
    request->call = upstream_call_start(upstream, own_name(request),
                                        steal_pointer(&request->arguments), &use->done);
    use->running++;
    request->state = REQUEST_CALLING;
    return NULL;
}

/* The call is over: another one may begin, perhaps one of another connection. */
static void leave_call(struct tool_request *request)
{
    request->call = NULL;
    request->use->running--;
    notifier_raise(&request->use->done);
}

/* Answers with the result, which is taken over, unless the program has had too much. */
static json_t *answer_result(struct tool_request *request, json_t *result)
{
    struct tool_use *use = request->use;
    const size_t size = json_dumpb(result, NULL, 0, JSON_COMPACT);
    const unsigned long long max = (unsigned)tool_set_limits(use->set)->total_bytes;

    if (use->log->bytes + size > max) {
        json_decref(result);
        return refuse_call(request,
                           string_format("the results of all calls would have more than %llu bytes "
                                         "together: ask for less",
                                         max));
    }
    log_call(request, !json_is_true(json_object_get(result, "isError")), size);
    return tool_answer(request->id, result);
}

static json_t *take_call(struct tool_request *request)
{
    json_t *result = NULL;
    CLEANUP_FREE char *why = NULL;
    const enum upstream_outcome outcome = upstream_call_take(request->call, &result, &why);

    if (outcome == UPSTREAM_PENDING)
        return NULL;
    leave_call(request);
    return outcome == UPSTREAM_RESULT ? answer_result(request, result)
                                      : fail_call(request, JSONRPC_INTERNAL_ERROR, why);
}

static json_t *serve_call(struct tool_request *request)
{
    json_t *answer = NULL;

    if (request->state == REQUEST_NEW)
        answer = begin_call(request);
    if (!answer && request->state == REQUEST_LISTING)
        answer = check_call(request);
    if (!answer && request->state == REQUEST_ASKING)
        answer = ask_person(request);
    if (!answer && request->state == REQUEST_READY)
        answer = start_call(request);
    if (!answer && request->state == REQUEST_CALLING)
        answer = take_call(request);
    return answer;
}

/* ---- requests */

static struct tool_request *new_request(struct tool_use *use, json_t *id, size_t bytes)
{
    struct tool_request *request = memory_allocate(sizeof *request);

    *request = (struct tool_request){
        .use = use, .id = json_incref(id), .bytes = bytes, .start = clock_now_ms()};
    use->waiting_bytes += bytes;
    return request;
}

struct tool_request *tool_request_list(struct tool_use *use, json_t *id, const json_t *params,
                                       size_t bytes, const char **problem)
{
    const char *cursor = json_string_value(json_object_get(params, "cursor"));
    unsigned long server = 0, tool = 0;
    struct tool_request *request;
    char *end = (char *)"";

    if (cursor) {
        server = strtoul(cursor, &end, 10);
        tool = *end == '.' ? strtoul(end + 1, &end, 10) : 0;
    }
    if (*end != '\0' || (cursor && server >= use->servers->count) || tool > UPSTREAM_TOOLS_MAX) {
        *problem = "the cursor is none of a list of tools";
        return NULL;
    }
    request = new_request(use, id, bytes);
    request->page = json_array();
    request->server = server;
    request->tool = tool;
    return request;
}

struct tool_request *tool_request_call(struct tool_use *use, json_t *id, const json_t *params,
                                       size_t bytes, const char **problem)
{
    json_t *name = json_object_get(params, "name");
    json_t *arguments = json_object_get(params, "arguments");
    struct tool_request *request;
    char *text = NULL;

    if (!json_is_string(name) || strlen(json_string_value(name)) != json_string_length(name) ||
        (arguments && !json_is_null(arguments) && !json_is_object(arguments))) {
        *problem = "tools/call needs a name, a string, and arguments, an object";
        return NULL;
    }
    if (json_is_object(arguments))
        text = json_dumps(arguments, json_text_flags(arguments));
    if (!text)
        text = string_copy("{}");
    request = new_request(use, id, bytes + strlen(text));
    request->name = string_copy(json_string_value(name));
    request->arguments = text;
    return request;
}

const json_t *tool_request_id(const struct tool_request *request)
{
    return request->id;
}

static void release_request(struct tool_request *request)
{
    struct tool_use *use = request->use;
    const bool was_full = use->waiting_bytes >= TOOL_USE_BYTES_MAX;

    use->waiting_bytes -= request->bytes;
    if (was_full && use->waiting_bytes < TOOL_USE_BYTES_MAX)
        notifier_raise(&use->done); /* other connections may have waited for that */
    json_decref(request->id);
    json_decref(request->page);
    free(request->arguments);
    free(request->name);
    free(request);
}

json_t *tool_request_serve(struct tool_request *request)
{
    json_t *answer = request->page ? tool_request_serve_list(request) : serve_call(request);

    if (answer)
        release_request(request);
    return answer;
}

void tool_request_free(struct tool_request *request)
{
    if (!request)
        return;
    upstream_listing_cancel(request->listing);
    tool_consent_leave(request->use->consent, request, &request->use->done);
    if (request->call) {
        upstream_call_cancel(request->call);
        leave_call(request);
    }
    if (request->name)
        log_call(request, false, 0);
    release_request(request);
}

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json_text.h"
#include "base/jsonrpc_codes.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "base/thread.h"
#include "tools/tool_revision.h"
#include "tools/upstream_state.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void upstream_fail(struct upstream_session *session, const char *format, ...)
{
    CLEANUP(strbuf_release) struct strbuf text = STRBUF_INIT;
    va_list arguments;

    if (session->failure)
        return;
    va_start(arguments, format);
    strbuf_vaddf(&text, format, arguments);
    va_end(arguments);
    session->failure = text_escape(strbuf_string(&text));
    session->needs_turn = true;
}

/* ---- messages to the server */

/* Queues a message, which is taken over. */
static void send_message(struct upstream_session *session, json_t *message)
{
    char *text = json_dumps(message, JSON_COMPACT);

    if (text) {
        process_write(&session->process, text, strlen(text));
        process_write(&session->process, "\n", 1);
    }
    free(text);
    json_decref(message);
}

void upstream_send_initialize(struct upstream_session *session)
{
    session->initialize_id = ++session->last_id;
    send_message(session,
                 json_pack("{s:s, s:I, s:s, s:{s:s, s:{}, s:{s:s, s:s}}}", "jsonrpc", "2.0", "id",
                           (json_int_t)session->initialize_id, "method", "initialize", "params",
                           "protocolVersion", TOOL_REVISION_NEWEST, "capabilities", "clientInfo",
                           "name", "isolator", "version", ISOLATOR_VERSION));
}

/* Asks which revisions it speaks, since it does not know initialize. */
static void send_discover(struct upstream_session *session)
{
    session->initialize_id = ++session->last_id;
    send_message(session, json_pack("{s:s, s:I, s:s, s:{s:o}}", "jsonrpc", "2.0", "id",
                                    (json_int_t)session->initialize_id, "method", "server/discover",
                                    "params", "_meta", json_loads(TOOL_REVISION_META, 0, NULL)));
}

void upstream_send_list(struct upstream_session *session, const char *cursor)
{
    json_t *params = cursor ? json_pack("{s:s}", "cursor", cursor) : json_object();

    if (session->is_modern)
        json_object_set_new(params, "_meta", json_loads(TOOL_REVISION_META, 0, NULL));
    session->list_id = ++session->last_id;
    if (!cursor) {
        upstream_tools_release(&session->listed);
        session->listed = upstream_tools_new();
        session->listed_bytes = 0;
        session->pages = 0;
        session->wants_list = false;
        session->list_deadline = clock_now_ms() + session->upstream->times.start;
    }
    send_message(session,
                 json_pack("{s:s, s:I, s:s, s:o}", "jsonrpc", "2.0", "id",
                           (json_int_t)session->list_id, "method", "tools/list", "params", params));
}

void upstream_send_call(struct upstream_session *session, struct upstream_call *call)
{
    CLEANUP(strbuf_release) struct strbuf line = STRBUF_INIT;
    json_t *name = json_string(call->tool);
    char *quoted = name ? json_dumps(name, JSON_ENCODE_ANY) : NULL;

    call->id = ++session->last_id;
    strbuf_addf(&line,
                "{\"jsonrpc\":\"2.0\",\"id\":%lld,\"method\":\"tools/call\","
                "\"params\":{%s\"name\":%s,\"arguments\":",
                call->id, session->is_modern ? "\"_meta\":" TOOL_REVISION_META "," : "",
                quoted ? quoted : "\"\"");
    strbuf_addstr(&line, call->arguments);
    strbuf_addstr(&line, "}}\n");
    process_write(&session->process, line.data, line.length);
    free(quoted);
    json_decref(name);
}

void upstream_send_cancelled(struct upstream_session *session, long long id)
{
    send_message(session,
                 json_pack("{s:s, s:s, s:{s:I}}", "jsonrpc", "2.0", "method",
                           "notifications/cancelled", "params", "requestId", (json_int_t)id));
}

/*
 * Answers a request of the server. It gets no answer while it does not read, or for an id that is
 * none: the answers must not fill the memory.
 */
static void answer_request(struct upstream_session *session, const char *method, json_t *id)
{
    json_t *answer;

    if (session->process.queue.length > UPSTREAM_REPLY_BYTES ||
        (!json_is_integer(id) && !json_is_string(id)) || json_string_length(id) > 1000)
        return;
    answer = json_pack("{s:s, s:O}", "jsonrpc", "2.0", "id", id);
    if (strcmp(method, "ping") == 0)
        json_object_set_new(answer, "result", json_object());
    else
        json_object_set_new(answer, "error",
                            json_pack("{s:i, s:s}", "code", JSONRPC_METHOD_NOT_FOUND, "message",
                                      "the client has no such method"));
    send_message(session, answer);
}

/* ---- the list */

static void publish_list(struct upstream_session *session)
{
    struct upstream *upstream = session->upstream;

    session->list_id = 0;
    session->is_ready = true;
    session->needs_turn = true;
    session->next_fetch = clock_now_ms() + upstream->times.refetch;
    THREAD_LOCK(&upstream->lock);
    upstream_tools_release(&upstream->tools);
    upstream->tools = session->listed;
    session->listed = NULL;
    upstream->is_current = !session->wants_list;
    upstream_end_listings(upstream, upstream->tools, NULL);
}

/* What an error of JSON-RPC says, escaped; owned. */
static char *error_text(const json_t *error)
{
    const char *message = json_string_value(json_object_get(error, "message"));

    return text_escape_short(message ? message : "an error without a message", 500);
}

static void take_page(struct upstream_session *session, const json_t *message, size_t length)
{
    const json_t *result = json_object_get(message, "result");
    const json_t *tools = json_object_get(result, "tools");
    const char *cursor = json_string_value(json_object_get(result, "nextCursor"));
    const json_t *error = json_object_get(message, "error");

    session->listed_bytes += length;
    if (error) {
        CLEANUP_FREE char *text = error_text(error);

        upstream_fail(session, "cannot list its tools: %s", text);
    } else if (!json_is_array(tools)) {
        upstream_fail(session, "its answer to tools/list has no tools");
    } else if (session->listed_bytes > UPSTREAM_LIST_BYTES) {
        upstream_fail(session, "its list of tools has more than %d MiB", UPSTREAM_LIST_BYTES >> 20);
    } else {
        upstream_tools_add(session->listed, tools);
        if (cursor && session->listed->count < UPSTREAM_TOOLS_MAX &&
            ++session->pages < UPSTREAM_PAGES_MAX)
            upstream_send_list(session, cursor);
        else
            publish_list(session);
    }
}

/* It has refused initialize: perhaps it has a revision without that. */
static void take_refusal(struct upstream_session *session, const json_t *error)
{
    const json_int_t code = json_integer_value(json_object_get(error, "code"));

    session->refusal = error_text(error);
    if (code == JSONRPC_METHOD_NOT_FOUND || code == JSONRPC_UNSUPPORTED_VERSION)
        send_discover(session);
    else
        upstream_fail(session, "refuses to start: %s", session->refusal);
}

static void take_discovered(struct upstream_session *session, const json_t *message)
{
    const json_t *result = json_object_get(message, "result");
    size_t i;
    json_t *revision;

    session->initialize_id = 0;
    json_array_foreach(json_object_get(result, "supportedVersions"), i, revision) {
        const char *name = json_string_value(revision);

        session->is_modern |= name && strcmp(name, TOOL_REVISION_MODERN) == 0;
    }
    if (session->is_modern)
        upstream_send_list(session, NULL);
    else
        upstream_fail(session, "refuses to start: %s", session->refusal);
}

static void take_initialized(struct upstream_session *session, const json_t *message)
{
    const json_t *result = json_object_get(message, "result");
    const char *revision = json_string_value(json_object_get(result, "protocolVersion"));
    const json_t *error = json_object_get(message, "error");

    session->initialize_id = 0;
    if (error) {
        take_refusal(session, error);
        return;
    }
    if (!tool_revision_is_known(revision)) {
        CLEANUP_FREE char *shown = text_escape_short(revision ? revision : "", TEXT_SHOWN_MAX);

        upstream_fail(session,
                      "speaks revision '%s' of MCP; known are " TOOL_REVISION_OLDEST
                      " to " TOOL_REVISION_NEWEST,
                      shown);
        return;
    }
    send_message(session,
                 json_pack("{s:s, s:s}", "jsonrpc", "2.0", "method", "notifications/initialized"));
    upstream_send_list(session, NULL);
}

/* ---- results */

/* The members of a result that callers get, a new reference; NULL: it is not a result of a call. */
static json_t *pick_result(const json_t *result)
{
    json_t *content = json_object_get(result, "content");
    json_t *structured = json_object_get(result, "structuredContent");
    json_t *picked;

    if (!json_is_array(content))
        return NULL;
    picked = json_pack("{s:O, s:b}", "content", content, "isError",
                       json_is_true(json_object_get(result, "isError")));
    if (json_is_object(structured))
        json_object_set(picked, "structuredContent", structured);
    return picked;
}

/* A modern server may answer a call with questions (2026-07-28, basic/patterns/mrtr). */
static bool asks_for_input(const json_t *result)
{
    const char *type = json_string_value(json_object_get(result, "resultType"));

    return type && strcmp(type, "input_required") == 0;
}

/* Ends a call by its response. With the lock. */
static void take_result(struct upstream *upstream, struct upstream_call *call,
                        const json_t *message)
{
    const char *server = upstream->server->name;
    const json_t *error = json_object_get(message, "error");
    json_t *result = pick_result(json_object_get(message, "result"));
    char *why = NULL;

    if (error) {
        CLEANUP_FREE char *text = error_text(error);

        why = string_format("'%s.%s' failed: %s", server, call->tool, text);
    } else if (asks_for_input(json_object_get(message, "result"))) {
        why = string_format("'%s.%s' failed: the server asks for input, which programs cannot give",
                            server, call->tool);
    } else if (!result) {
        why = string_format("'%s.%s' failed: the server has sent no result", server, call->tool);
    } else {
        const size_t size = json_dumpb(result, NULL, 0, JSON_COMPACT);

        if (size > (size_t)upstream->limits.value_bytes)
            why = string_format("the value of '%s.%s' has %zu bytes, more than %d: ask for less",
                                server, call->tool, size, upstream->limits.value_bytes);
    }
    if (why) {
        json_decref(result);
        result = NULL;
    }
    upstream_end_call(upstream, call, result, why);
}

/* A response of one that is not waited for, or not any more, is dropped. */
static void take_response(struct upstream_session *session, const json_t *message, size_t length)
{
    struct upstream *upstream = session->upstream;
    const json_t *id = json_object_get(message, "id");
    const long long number = json_integer_value(id);

    if (!json_is_integer(id) || number <= 0)
        return;
    if (number == session->initialize_id && session->refusal) {
        take_discovered(session, message);
    } else if (number == session->initialize_id) {
        take_initialized(session, message);
    } else if (number == session->list_id) {
        take_page(session, message, length);
    } else {
        THREAD_LOCK(&upstream->lock);
        for (struct upstream_call *call = upstream->calls; call; call = call->next) {
            if (call->id == number) {
                take_result(upstream, call, message);
                break;
            }
        }
    }
}

/* ---- lines */

static void note_list_changed(struct upstream_session *session)
{
    struct upstream *upstream = session->upstream;

    session->wants_list = true;
    session->needs_turn = true;
    THREAD_LOCK(&upstream->lock);
    upstream->is_current = false;
}

/* Some programs greet on standard output, so a few lines of text are ignored. */
static void take_junk(struct upstream_session *session, const char *line, size_t length)
{
    CLEANUP_FREE char *shown = NULL, *escaped = NULL, *quoted = NULL;

    if (++session->junk_lines <= UPSTREAM_JUNK_MAX)
        return;
    shown = string_format("%.*s", length < TEXT_SHOWN_MAX ? (int)length : TEXT_SHOWN_MAX, line);
    escaped = text_escape(shown);
    quoted = upstream_quote(session, escaped);
    upstream_fail(session, "writes text that is not JSON on standard output%s", quoted);
}

void upstream_take_line(struct upstream_session *session, const char *line, size_t length)
{
    json_auto_t *message = NULL;
    const char *method;

    if (session->failure || text_is_blank(line, length))
        return;
    if (json_text_count(line, length) > JSON_TEXT_VALUES_MAX) {
        upstream_fail(session, "has sent a message of more than %d values", JSON_TEXT_VALUES_MAX);
        return;
    }
    if (json_text_levels(line, length) > JSON_TEXT_LEVELS_MAX) {
        upstream_fail(session, "has sent a message of more than %d levels", JSON_TEXT_LEVELS_MAX);
        return;
    }
    message = json_text_parse(line, length, NULL);
    if (!json_is_object(message)) {
        take_junk(session, line, length);
        return;
    }
    method = json_string_value(json_object_get(message, "method"));
    if (!method)
        take_response(session, message, length);
    else if (json_object_get(message, "id"))
        answer_request(session, method, json_object_get(message, "id"));
    else if (strcmp(method, "notifications/tools/list_changed") == 0)
        note_list_changed(session);
}

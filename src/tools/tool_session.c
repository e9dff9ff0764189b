#include "tools/tool_session.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_text.h"
#include "base/memory.h"
#include "base/mux.h"
#include "base/text.h"
#include "tools/tool_answer.h"
#include "tools/tool_request.h"
#include "tools/tool_revision.h"

struct tool_session {
    struct tool_use *use;
    struct tool_request *requests[TOOL_SESSION_REQUESTS_MAX]; /* in their order */
    size_t count;
    bool gets_parts; /* it is of isolator-call */
    struct strbuf out;
};

/* Queues a message, which is taken over. */
static void send_message(struct tool_session *session, json_t *message)
{
    CLEANUP_FREE char *text = session->gets_parts ? NULL : json_dumps(message, JSON_COMPACT);

    if (text) {
        strbuf_addstr(&session->out, text);
        strbuf_addch(&session->out, '\n');
    }
    if (session->gets_parts)
        tool_answer_add_parts(message, &session->out);
    json_decref(message);
}

static void send_error(struct tool_session *session, json_t *id, enum jsonrpc_code code,
                       const char *message)
{
    send_message(session, tool_answer_error(id, code, message));
}

/* ---- messages */

static void take_initialize(struct tool_session *session, json_t *id, const json_t *params)
{
    const char *wanted = json_string_value(json_object_get(params, "protocolVersion"));
    const char *revision = tool_revision_is_known(wanted) ? wanted : TOOL_REVISION_NEWEST;

    send_message(session,
                 tool_answer(id, json_pack("{s:s, s:{s:{}}, s:{s:s, s:s}}", "protocolVersion",
                                           revision, "capabilities", "tools", "serverInfo", "name",
                                           "isolator", "version", ISOLATOR_VERSION)));
}

static void take_request(struct tool_session *session, const char *method, json_t *id,
                         const json_t *params, size_t bytes)
{
    struct tool_request *request = NULL;
    const char *problem = NULL;

    if (!json_is_string(id) && !json_is_integer(id))
        send_error(session, NULL, JSONRPC_INVALID_REQUEST,
                   "the id is neither a string nor an integer");
    else if (strcmp(method, "initialize") == 0)
        take_initialize(session, id, params);
    else if (strcmp(method, "ping") == 0)
        send_message(session, tool_answer(id, json_object()));
    else if (strcmp(method, "tools/list") == 0)
        request = tool_request_list(session->use, id, params, bytes, &problem);
    else if (strcmp(method, "tools/call") == 0)
        request = tool_request_call(session->use, id, params, bytes, &problem);
    else
        send_error(session, id, JSONRPC_METHOD_NOT_FOUND,
                   "the methods are initialize, ping, tools/list and tools/call");
    if (request)
        session->requests[session->count++] = request;
    if (problem)
        send_error(session, id, JSONRPC_INVALID_PARAMS, problem);
}

static void remove_request(struct tool_session *session, size_t i)
{
    session->count--;
    for (; i < session->count; i++)
        session->requests[i] = session->requests[i + 1];
}

/* A request that is cancelled gets no answer. */
static void take_cancelled(struct tool_session *session, const json_t *params)
{
    const json_t *id = json_object_get(params, "requestId");

    for (size_t i = 0; i < session->count; i++) {
        if (!json_equal(tool_request_id(session->requests[i]), id))
            continue;
        tool_request_free(session->requests[i]);
        remove_request(session, i);
        return;
    }
}

static bool is_call_name(const char *line, size_t length)
{
    return length == strlen(MUX_CALL_NAME) && memcmp(line, MUX_CALL_NAME, length) == 0;
}

void tool_session_take(struct tool_session *session, const char *line, size_t length)
{
    json_auto_t *message = NULL;
    const char *method;
    json_t *id, *params;

    if (!session->gets_parts && line && is_call_name(line, length)) {
        session->gets_parts = true;
        return;
    }
    session->use->log->messages++;
    if (!line) {
        send_error(session, NULL, JSONRPC_INVALID_REQUEST, "a line has more than 1 MiB");
        return;
    }
    if (text_is_blank(line, length))
        return;
    if (json_text_count(line, length) <= JSON_TEXT_VALUES_MAX &&
        json_text_levels(line, length) <= JSON_TEXT_LEVELS_MAX)
        message = json_text_parse(line, length, NULL);
    if (!json_is_object(message)) {
        send_error(
            session, NULL, JSONRPC_PARSE_ERROR,
            "a line is no JSON object, or has more values or levels than a message may have");
        return;
    }
    method = json_string_value(json_object_get(message, "method"));
    id = json_object_get(message, "id");
    params = json_object_get(message, "params");
    if (method && id)
        take_request(session, method, id, params, length);
    else if (method && strcmp(method, "notifications/cancelled") == 0)
        take_cancelled(session, params);
}

void tool_session_serve(struct tool_session *session)
{
    for (size_t i = 0; i < session->count && session->out.length < TOOL_SESSION_OUT_MAX;) {
        json_t *answer = tool_request_serve(session->requests[i]);

        if (answer) {
            remove_request(session, i);
            send_message(session, answer);
        } else {
            i++;
        }
    }
}

/* ---- the session */

struct tool_session *tool_session_new(struct tool_use *use)
{
    struct tool_session *session = memory_allocate(sizeof *session);

    *session = (struct tool_session){.use = use};
    return session;
}

void tool_session_free(struct tool_session *session)
{
    if (!session)
        return;
    for (size_t i = 0; i < session->count; i++)
        tool_request_free(session->requests[i]);
    strbuf_release(&session->out);
    free(session);
}

bool tool_session_has_room(const struct tool_session *session)
{
    return session->count < TOOL_SESSION_REQUESTS_MAX &&
           session->out.length < TOOL_SESSION_OUT_MAX &&
           session->use->waiting_bytes < TOOL_USE_BYTES_MAX;
}

struct strbuf *tool_session_out(struct tool_session *session)
{
    return &session->out;
}

bool tool_session_is_busy(const struct tool_session *session)
{
    return session->count > 0;
}

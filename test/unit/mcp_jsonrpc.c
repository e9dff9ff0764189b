#include "mcp_client.h"

#include "mcp/jsonrpc.h"

/* ---- parsing */

/* Reads the text and checks the kind and "id method params problem". */
static void check_read(const char *text, enum message_kind kind, const char *expected)
{
    json_t *value = json_of(text);
    struct message message;
    CLEANUP_FREE char *id = NULL;
    CLEANUP_FREE char *params = NULL;
    CLEANUP_FREE char *seen = NULL;

    jsonrpc_read(&message, value);
    id = message.id ? json_dumps(message.id, JSON_ENCODE_ANY) : string_copy("-");
    params = message.params ? json_dumps(message.params, JSON_ENCODE_ANY | JSON_COMPACT)
                            : string_copy("-");
    seen = string_format("%s %s %s %s", id, message.method ? message.method : "-", params,
                         message.problem ? message.problem : "-");
    assert_string_equal(seen, expected);
    assert_int_equal(message.kind, kind);
    json_decref(value);
}

CASE(jsonrpc__requests)
{
    check_read("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\"}", MESSAGE_REQUEST,
               "1 ping - -");
    check_read("{\"jsonrpc\": \"2.0\", \"id\": \"a\", \"method\": \"x\", \"params\": {\"b\": 2}}",
               MESSAGE_REQUEST, "\"a\" x {\"b\":2} -");
    check_read("{\"jsonrpc\": \"2.0\", \"id\": 0, \"method\": \"\", \"params\": [3]}",
               MESSAGE_REQUEST, "0  [3] -");
    check_read("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"x\", \"result\": {}}",
               MESSAGE_REQUEST, "1 x - -");
}

CASE(jsonrpc__notifications_and_responses)
{
    check_read("{\"jsonrpc\": \"2.0\", \"method\": \"n\", \"params\": {}}", MESSAGE_NOTIFICATION,
               "- n {} -");
    check_read("{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": {}}", MESSAGE_RESPONSE, "1 - - -");
    check_read("{\"jsonrpc\": \"2.0\", \"id\": 1, \"error\": {}}", MESSAGE_RESPONSE, "1 - - -");
    check_read("{\"jsonrpc\": \"2.0\", \"error\": {}}", MESSAGE_RESPONSE, "- - - -");
}

#define WRONG_VERSION "\"jsonrpc\" must be \"2.0\""
#define WRONG_METHOD  "\"method\" must be a string"
#define WRONG_ID      "\"id\" must be an integer or a string of at most 4096 bytes"

CASE(jsonrpc__invalid_messages)
{
    check_read("1", MESSAGE_INVALID, "- - - a message must be an object");
    check_read("[]", MESSAGE_INVALID, "- - - a message must be an object");
    check_read("null", MESSAGE_INVALID, "- - - a message must be an object");
    check_read("{\"id\": 1, \"method\": \"x\"}", MESSAGE_INVALID, "1 x - " WRONG_VERSION);
    check_read("{\"jsonrpc\": \"2.0\\u0000\", \"id\": 1, \"method\": \"x\"}", MESSAGE_INVALID,
               "1 x - " WRONG_VERSION);
    check_read("{\"jsonrpc\": 2.0, \"id\": 1, \"method\": \"x\"}", MESSAGE_INVALID,
               "1 x - " WRONG_VERSION);
    check_read("{\"jsonrpc\": \"1.0\", \"id\": 1, \"method\": \"x\"}", MESSAGE_INVALID,
               "1 x - " WRONG_VERSION);
    check_read("{\"jsonrpc\": \"2.0\", \"id\": 1}", MESSAGE_INVALID, "1 - - " WRONG_METHOD);
    check_read("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": 5}", MESSAGE_INVALID,
               "1 - - " WRONG_METHOD);
    check_read("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": 5, \"result\": 1}", MESSAGE_INVALID,
               "1 - - " WRONG_METHOD);
    check_read("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"ping\\u0000\"}", MESSAGE_INVALID,
               "1 ping - " WRONG_METHOD);
}

CASE(jsonrpc__invalid_ids)
{
    static const char *const ids[] = {"null", "1.5", "1.0", "true", "[1]", "{}"};

    for (size_t i = 0; i < COUNT(ids); i++) {
        CLEANUP_FREE char *text =
            string_format("{\"jsonrpc\": \"2.0\", \"id\": %s, \"method\": \"x\"}", ids[i]);

        check_read(text, MESSAGE_INVALID, "- x - " WRONG_ID);
    }
}

static void check_id(json_t *value, bool expected)
{
    assert_int_equal(jsonrpc_is_id(value) != 0, expected);
    json_decref(value);
}

CASE(jsonrpc__ids)
{
    char text[4098];

    check_id(json_integer(-5), true);
    check_id(json_integer(9007199254740993), true);
    check_id(json_string(""), true);
    check_id(json_stringn("a\0b", 3), true);
    check_id(json_null(), false);
    check_id(json_real(1), false);
    check_id(NULL, false);
    memset(text, 'i', sizeof text);
    check_id(json_stringn(text, 4096), true);
    check_id(json_stringn(text, 4097), false);
}

/* ---- building */

CASE(jsonrpc__results)
{
    json_t *id = json_string("a");

    check_new_json(jsonrpc_result(id, json_of("{\"x\": 1}")),
                   "{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"result\":{\"x\":1}}");
    json_decref(id);
}

CASE(jsonrpc__errors)
{
    json_t *id = json_integer(7);

    check_new_json(jsonrpc_error(id, JSONRPC_METHOD_NOT_FOUND, "no", NULL),
                   "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32601,\"message\":\"no\"}}");
    check_new_json(jsonrpc_error(id, JSONRPC_UNSUPPORTED_VERSION, "no", json_of("[1]")),
                   "{\"jsonrpc\":\"2.0\",\"id\":7,\"error\":{\"code\":-32022,\"message\":\"no\","
                   "\"data\":[1]}}");
    check_new_json(jsonrpc_error(NULL, JSONRPC_PARSE_ERROR, "no", NULL),
                   "{\"jsonrpc\":\"2.0\",\"error\":{\"code\":-32700,\"message\":\"no\"}}");
    json_decref(id);
}

CASE(jsonrpc__built_notifications)
{
    check_new_json(jsonrpc_notification("n/m", json_of("{\"x\": 1}")),
                   "{\"jsonrpc\":\"2.0\",\"method\":\"n/m\",\"params\":{\"x\":1}}");
    check_new_json(jsonrpc_request("q", "r/m", json_object()),
                   "{\"jsonrpc\":\"2.0\",\"method\":\"r/m\",\"params\":{},\"id\":\"q\"}");
}

static void check_line(const char *text, const char *expected)
{
    json_t *value = json_of(text);
    size_t length = 0;
    CLEANUP_FREE char *line = jsonrpc_line(value, &length);

    assert_string_equal(line, expected);
    assert_int_equal(length, strlen(expected));
    assert_int_equal(jsonrpc_size(value), strlen(expected) - 1);
    json_decref(value);
}

/* A message is one line, whatever it contains. */
CASE(jsonrpc__lines_and_their_sizes)
{
    check_line("{}", "{}\n");
    check_line("{\"a\": [1, \"b c\"]}", "{\"a\":[1,\"b c\"]}\n");
    check_line("[\"\\n\\r\\u0000\\u001f\\u2028\"]", "[\"\\n\\r\\u0000\\u001F\xe2\x80\xa8\"]\n");
    check_line("[0.1, 1.234, 45.0]", "[0.1,1.234,45.0]\n");
}

CASE(jsonrpc__size_of_any_value)
{
    json_t *text = json_string("four");

    assert_int_equal(jsonrpc_size(text), 6);
    json_decref(text);
}

#include "json.h"

#include "request/session_arguments.h"

#define ID "0123456789abcdef0123456789abcdef"

static int read_session(const char *text, struct session_request *request, struct error *error)
{
    struct argument_reader reader = {.error = error};
    json_t *value = json_of(text);
    const int result = session_argument_read(&reader, "session", value, request);

    json_decref(value);
    return result;
}

CASE(session_arguments__new_and_ids)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct session_request request = {.open = false};

    assert_int_equal(read_session("\"new\"", &request, &error), 0);
    assert_true(request.open);
    assert_string_equal(request.id, "");
    assert_int_equal(read_session("\"" ID "\"", &request, &error), 0);
    assert_false(request.open);
    assert_string_equal(request.id, ID);
}

static void check_refused(const char *text)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct session_request request = {.open = false};

    assert_int_equal(read_session(text, &request, &error), -1);
    assert_error(&error, ERROR_USAGE,
                 "session must be \"new\" or the id of a session, which the call that opened it "
                 "has returned");
    assert_false(request.open);
    assert_string_equal(request.id, "");
}

CASE(session_arguments__what_is_no_id)
{
    check_refused("\"\"");
    check_refused("\"New\"");
    check_refused("\"new\\u0000\"");
    check_refused("\"" ID "0\"");
    check_refused("\"" ID "\\u0000\"");
    check_refused("\"0123456789abcdef0123456789abcde\"");
    check_refused("\"0123456789ABCDEF0123456789ABCDEF\"");
    check_refused("\"0123456789abcdef\\u0000123456789abcdef\"");
    check_refused("7");
    check_refused("true");
    check_refused("[\"" ID "\"]");
}

static void check_is_id(const char *text, bool expected)
{
    json_t *value = json_of(text);

    assert_int_equal(session_argument_is_id(value), expected);
    json_decref(value);
}

/* A wrong id is one too, so that the message is about the session and not about the language. */
CASE(session_arguments__what_is_meant_to_be_an_id)
{
    check_is_id("\"" ID "\"", true);
    check_is_id("\"mine\"", true);
    check_is_id("\"new\"", false);
    check_is_id("7", false);
    assert_false(session_argument_is_id(NULL));
}

CASE(session_arguments__processes_are_kept_from_the_start)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    struct session_request request = {.keep_processes = true};

    assert_int_equal(session_arguments_check(&request, &error), -1);
    assert_error(&error, ERROR_USAGE,
                 "keep_processes can be set only when a session is opened, with session \"new\"");
    error_release(&error);
    request.open = true;
    assert_int_equal(session_arguments_check(&request, &error), 0);
}

static void check_close(const char *text, const char *message)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec warnings = STRVEC_INIT;
    json_t *arguments = json_of(text);
    char id[SESSION_ID_SIZE];

    if (message) {
        assert_int_equal(session_arguments_read_close(arguments, id, &warnings, &error), -1);
        assert_error(&error, ERROR_USAGE, message);
    } else {
        assert_int_equal(session_arguments_read_close(arguments, id, &warnings, &error), 0);
        assert_string_equal(id, ID);
    }
    json_decref(arguments);
}

#define NO_ID "session must be the id of a session, which the call that opened it has returned"

CASE(session_arguments__of_close_session)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    CLEANUP(strvec_release) struct strvec warnings = STRVEC_INIT;
    char id[SESSION_ID_SIZE];

    check_close("{\"session\": \"" ID "\"}", NULL);
    check_close("{\"session\": \"new\"}", NO_ID);
    check_close("{\"session\": null}", NO_ID);
    check_close("{}", NO_ID);
    check_close("{\"session\": \"" ID "\", \"time\\n\": 1}",
                "there is no argument 'time\\n'; known is: session");
    assert_int_equal(session_arguments_read_close(NULL, id, &warnings, &error), -1);
    assert_error(&error, ERROR_USAGE, NO_ID);
}

#include "request/session_arguments.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "request/argument_names.h"

bool session_argument_is_id(const json_t *session)
{
    const char *text = json_string_value(session);

    return text &&
           (json_string_length(session) != strlen(SESSION_NEW) || strcmp(text, SESSION_NEW) != 0);
}

/* Copies an id. `expected` completes the error if the value has not the form of one. */
static int read_id(struct argument_reader *reader, const char *name, const json_t *value,
                   const char *expected, char id[SESSION_ID_SIZE])
{
    const char *text = json_string_value(value);
    const size_t length = SESSION_ID_SIZE - 1;

    if (json_string_length(value) != length || strspn(text, "0123456789abcdef") != length)
        return argument_wrong(reader, name, expected);
    memcpy(id, text, SESSION_ID_SIZE);
    return 0;
}

int session_argument_read(struct argument_reader *reader, const char *name, const json_t *value,
                          void *target)
{
    struct session_request *request = target;

    request->open = json_is_string(value) && !session_argument_is_id(value);
    return request->open ? 0
                         : read_id(reader, name, value,
                                   "\"" SESSION_NEW "\" or the id of a session, which the call "
                                   "that opened it has returned",
                                   request->id);
}

int session_argument_read_name(struct argument_reader *reader, const char *name,
                               const json_t *value, void *target)
{
    char **copy = target;
    const char *text = json_string_value(value);
    const size_t length = json_string_length(value);

    if (!text || length == 0 || length > SESSION_NAME_MAX || strlen(text) != length)
        return error_set(reader->error, ERROR_USAGE, "%s must be a name of 1 to %d bytes", name,
                         SESSION_NAME_MAX);
    *copy = string_copy(text);
    return 0;
}

int session_arguments_check(const struct session_request *request, struct error *error)
{
    if (request->keep_processes && !request->open)
        return error_set(error, ERROR_USAGE,
                         "keep_processes can be set only when a session is opened, with session "
                         "\"" SESSION_NEW "\"");
    return 0;
}

int session_arguments_check_line(const struct request *request, struct error *error)
{
    const struct session_request *session = &request->session;

    if (request->session_name || (!session->close && !session->keep_processes))
        return 0;
    return error_set(error, ERROR_USAGE, "%s needs session, the name of one",
                     session->close ? "close_session" : "keep_processes");
}

int session_arguments_read_close(const json_t *arguments, char id[SESSION_ID_SIZE],
                                 struct strvec *warnings, struct error *error)
{
    struct argument_reader reader = {.error = error};
    CLEANUP(strvec_release) struct strvec known = STRVEC_INIT;
    const struct argument_names names = {.known = &known};
    json_auto_t *resolved = NULL;

    strvec_push(&known, "session");
    resolved = argument_names_resolve(&names, arguments, warnings, error);
    return resolved ? read_id(&reader, "session", json_object_get(resolved, "session"),
                              "the id of a session, which the call that opened it has returned", id)
                    : -1;
}

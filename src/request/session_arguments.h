/*
 * The arguments of sessions. A model names a session by its id, a line of a batch by a name that it
 * likes. The errors are ERROR_USAGE, as in request/argument_values.h.
 */
#ifndef REQUEST_SESSION_ARGUMENTS_H
#define REQUEST_SESSION_ARGUMENTS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "request/argument_values.h"
#include "request/request.h"

/* The value of `session` that opens one. */
#define SESSION_NEW "new"

/* The longest name of a session of a batch, in bytes. */
enum { SESSION_NAME_MAX = 100 };

/* Whether `session` of a model, which may be NULL, is meant to be the id of a session. */
bool session_argument_is_id(const json_t *session);

/* Reads `session` of a model into a struct session_request: SESSION_NEW sets `open`, an id is
 * copied. */
int session_argument_read(struct argument_reader *reader, const char *name, const json_t *value,
                          void *target);

/* Reads `session` of a line of a batch: a char *, which is owned. */
int session_argument_read_name(struct argument_reader *reader, const char *name,
                               const json_t *value, void *target);

/* Checks what the arguments of a model, or of a line of a batch, say together. */
int session_arguments_check(const struct session_request *request, struct error *error);
int session_arguments_check_line(const struct request *request, struct error *error);

/* Reads the arguments of the tool close_session, an object or NULL; adds to the warnings. */
int session_arguments_read_close(const json_t *arguments, char id[SESSION_ID_SIZE],
                                 struct strvec *warnings, struct error *error);

#endif

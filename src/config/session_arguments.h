/*
 * The arguments of sessions, which models write: `session` and `keep_processes` of execute_code,
 * and those of close_session. The errors are ERROR_USAGE, as in config/argument_values.h.
 */
#ifndef CONFIG_SESSION_ARGUMENTS_H
#define CONFIG_SESSION_ARGUMENTS_H

#include <jansson.h>
#include <stdbool.h>

#include "base/error.h"
#include "config/argument_values.h"
#include "config/request.h"

/* The value of `session` that opens one. */
#define SESSION_NEW "new"

/* Whether `session`, which may be NULL, is meant to be the id of a session. */
bool session_argument_is_id(const json_t *session);

/* Reads `session`: SESSION_NEW sets request->open, an id is copied. */
int session_argument_read(struct argument_reader *reader, const char *name, const json_t *value,
                          struct session_request *request);

/* Checks what the arguments of one call say together. */
int session_arguments_check(const struct session_request *request, struct error *error);

/* Reads the arguments of close_session, an object or NULL. */
int session_arguments_read_close(const json_t *arguments, char id[SESSION_ID_SIZE],
                                 struct error *error);

#endif

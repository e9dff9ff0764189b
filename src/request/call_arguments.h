/*
 * Reads what a line of a batch says of a function that its tests call: `call` of the line, and of a
 * test the arguments and the expected value. The errors are ERROR_USAGE, as in
 * request/argument_values.h.
 */
#ifndef REQUEST_CALL_ARGUMENTS_H
#define REQUEST_CALL_ARGUMENTS_H

#include <jansson.h>

#include "request/argument_values.h"
#include "request/case_request.h"
#include "request/reading.h"

/* {"function": NAME, "class": NAME} */
int call_argument_read(struct reading *reading, const char *name, const json_t *value);

/* Members of a test (request/argument_members.h), a struct case_request. Those with `_json` have
 * the same as a text: of the arguments one a line. */
int call_arguments_read(struct argument_reader *reader, const char *name, const json_t *value,
                        void *test);
int call_arguments_read_json(struct argument_reader *reader, const char *name, const json_t *value,
                             void *test);
int call_arguments_expected(struct argument_reader *reader, const char *name, const json_t *value,
                            void *test);
int call_arguments_expected_json(struct argument_reader *reader, const char *name,
                                 const json_t *value, void *test);
int call_arguments_any(struct argument_reader *reader, const char *name, const json_t *value,
                       void *test);
int call_arguments_any_json(struct argument_reader *reader, const char *name, const json_t *value,
                            void *test);

/* Checks that the members of a test agree, whose `name` is for messages. */
int call_arguments_check(struct argument_reader *reader, const char *name,
                         struct case_request *test);

#endif

/*
 * The tests of a batch line: turns the array `tests` into test requests. Its members are described
 * in isolator(1).
 */
#ifndef REQUEST_CASE_ARGUMENTS_H
#define REQUEST_CASE_ARGUMENTS_H

#include <jansson.h>

#include "request/argument_values.h"
#include "request/case_request.h"

/*
 * Adds the tests of the array. With a checker, a test without an expected output has no_expected:
 * the answer of the checker is empty. Errors as in request/argument_values.h.
 */
int case_arguments_read(struct argument_reader *reader, const char *name, const json_t *value,
                        bool has_checker, struct case_requests *tests);

/* Reads `detail`, "full" or "outcome", into a struct case_requests. */
int case_arguments_detail(struct argument_reader *reader, const char *name, const json_t *value,
                          void *target);

#endif

/*
 * Reads the checker of a line of a batch (request/checker_request.h):
 *
 *     {"language": "cpp", "code": "...", "convention": "testlib"}
 */
#ifndef REQUEST_CHECKER_ARGUMENTS_H
#define REQUEST_CHECKER_ARGUMENTS_H

#include <jansson.h>

#include "request/argument_values.h"
#include "request/request.h"

/* Sets the checker of a struct request. ERROR_USAGE that names the member, or that of its files. */
int checker_arguments_read(struct argument_reader *reader, const char *name, const json_t *value,
                           void *target);

#endif

/*
 * The groups of tests of a batch line: turns the array `groups` into groups that give scores. Its
 * members are described in isolator-batch(1). Errors as in request/argument_values.h.
 */
#ifndef REQUEST_GROUP_ARGUMENTS_H
#define REQUEST_GROUP_ARGUMENTS_H

#include <jansson.h>

#include "request/argument_values.h"
#include "request/case_request.h"

/* Adds the groups of the array to a struct case_requests. */
int group_arguments_read(struct argument_reader *reader, const char *name, const json_t *value,
                         void *tests);

/* Reads a number of points from 0 to SCORE_MAX, a double, for a struct argument_member. */
int group_arguments_points(struct argument_reader *reader, const char *name, const json_t *value,
                           void *points);

#endif

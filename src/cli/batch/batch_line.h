/*
 * One line of the input of `isolator batch`: the JSON object of a request and its id.
 */
#ifndef CLI_BATCH_LINE_H
#define CLI_BATCH_LINE_H

#include <jansson.h>
#include <stddef.h>

#include "base/error.h"

/*
 * Parses a line. On success *arguments is a new reference to the object without its `id`, and *id
 * is one to the id; *id is NULL if there is none or it is null. ERROR_USAGE if the line is no JSON
 * object, has a member twice or has too many values; then nothing is set.
 */
int batch_line_parse(const char *text, size_t length, json_t **arguments, json_t **id,
                     struct error *error);

#endif

/*
 * Reads the files that a call or a line of a batch sends: `additional_files`, and those of tests.
 */
#ifndef REQUEST_ARGUMENT_FILES_H
#define REQUEST_ARGUMENT_FILES_H

#include <jansson.h>

#include "config/input_files.h"
#include "request/argument_values.h"

/*
 * Adds an array of {filename, content, encoding} or {filename, uri}; a model may send one such
 * object alone. ERROR_INPUT if a name is not allowed or if a file cannot be opened.
 */
int argument_files(struct argument_reader *reader, const char *name, const json_t *value,
                   struct input_files *files);

#endif

/*
 * The JSON text of a result, for stdout. The results of tests, of which there may be thousands, are
 * turned into JSON and written one after the other, so that they are not in memory twice.
 */
#ifndef CLI_RESULT_TEXT_H
#define CLI_RESULT_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "run/result.h"

/* Takes the next piece of the text. False: no more is wanted. */
typedef bool result_text_writer(void *context, const char *data, size_t length);

/*
 * Writes `object`, an object that has members, with the result's members after them, and a line
 * feed. Takes ownership of the object, and the texts out of the result. `flags` are those of
 * json_dumps(). False if the writer wanted no more.
 */
bool result_text_write(json_t *object, struct result *result, size_t flags,
                       result_text_writer *write, void *context);

#endif

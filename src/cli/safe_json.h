/*
 * JSON that can do nothing to a terminal, wherever it ends up. jansson escapes what is below U+0020.
 * Terminals also obey DEL, the C1 control characters and those that turn the direction of text, and they
 * show nothing of zero-width characters and tags: all of these (text_is_invisible()) are escaped too.
 */
#ifndef CLI_SAFE_JSON_H
#define CLI_SAFE_JSON_H

#include <jansson.h>
#include <stdbool.h>

/* Numbers as people wrote them: 15 digits are what a double keeps of a decimal one. */
#define SAFE_JSON_FLAGS JSON_REAL_PRECISION(15)

/*
 * Gives the text to `write` (a json_dump_callback_t: 0, or -1 to end it) in pieces. `flags` as for json_dumps().
 * -1 where that failed.
 */
int safe_json_dump(const json_t *object, size_t flags, json_dump_callback_t write, void *context);

/* A `write` that adds to a struct strbuf. */
int safe_json_add(const char *piece, size_t length, void *buffer);

/* Prints it on stdout with a line feed, on one line or indented. Whether it got out print_error() says. */
void safe_json_print(const json_t *value, bool indented);

#endif

/*
 * JSON that cannot control a terminal. jansson escapes characters below U+0020. Terminals also
 * obey DEL, the C1 control characters and characters that change the direction of text, and they
 * hide zero-width characters and tags. All of these (text_is_invisible()) are escaped too.
 */
#ifndef CLI_SAFE_JSON_H
#define CLI_SAFE_JSON_H

#include <jansson.h>
#include <stdbool.h>

/* Prints numbers as they were written: a double preserves 15 decimal digits. */
#define SAFE_JSON_FLAGS JSON_REAL_PRECISION(15)

/*
 * Passes the text in pieces to `write`, which returns 0, or -1 to stop. `flags` are those of
 * json_dumps(). Returns -1 on failure.
 */
int safe_json_dump(const json_t *object, size_t flags, json_dump_callback_t write, void *context);

/* A `write` function that appends to a struct strbuf. */
int safe_json_add(const char *piece, size_t length, void *buffer);

/* Prints the value on stdout with a line feed, on one line or indented. See print_failure(). */
void safe_json_print(const json_t *value, bool indented);

#endif

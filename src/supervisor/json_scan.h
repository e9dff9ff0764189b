/*
 * Finds members in a JSON text without building values, for programs that link no JSON library. The
 * text is what isolator has written: compact, complete, without member names that are escaped. In
 * any other text something else is found, or nothing, but nothing beyond its end is read.
 *
 * A value is a pointer to its first character; NULL is no value, which all functions take.
 */
#ifndef SUPERVISOR_JSON_SCAN_H
#define SUPERVISOR_JSON_SCAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strbuf.h"

/* The member of an object; NULL: none. */
const char *json_scan_member(const char *object, const char *name);

/* The first item of an array, and the one after an item; NULL: none. */
const char *json_scan_first(const char *array);
const char *json_scan_next(const char *item);

/* Bytes of the value. */
size_t json_scan_length(const char *value);

/* Adds the text of a string; false if it is none. */
bool json_scan_text(const char *value, struct strbuf *text);

/* Whether the value is this string, whose characters need no escape, or this literal. */
bool json_scan_is(const char *value, const char *literal);

#endif

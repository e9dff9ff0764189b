/*
 * JSON that came from outside, one text a line: read as forgivingly as its writers need, and
 * bounded.
 */
#ifndef BASE_JSON_TEXT_H
#define BASE_JSON_TEXT_H

#include <jansson.h>
#include <stddef.h>

/* Bytes of a line, and values in it: far more than any request has, so that none takes GBs. */
enum { JSON_TEXT_MAX = 64 << 20, JSON_TEXT_VALUES_MAX = 200000 };

/* How json_dumps() writes a line: 15 digits are what a double keeps of a decimal number. */
#define JSON_TEXT_FLAGS (JSON_COMPACT | JSON_REAL_PRECISION(15))

/*
 * How many values json_text_parse() would make of the line, or a few more, so that a line of
 * brackets can be refused before it has become a hundred times its size.
 */
size_t json_text_count(const char *line, size_t length);

/*
 * The value that a line holds, a new reference; NULL if it is not JSON, and `where` (may be NULL)
 * then says at which column and why, in words that may end within a character. Half a surrogate
 * pair
 * ("\ud83d" alone), which hosts send when they cut a text in two, becomes U+FFFD instead of making
 * the whole line unreadable. What jansson does not take is not JSON here either: a NUL in the name
 * of a member, integers past 64 bits, numbers past a double, more than 2048 levels.
 */
json_t *json_text_parse(const char *line, size_t length, json_error_t *where);

#endif

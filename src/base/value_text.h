/*
 * The text of a JSON value that may have integers of any size, as programs and data sets have them,
 * and jansson has not. A value that is parsed here has the form in which drivers report one
 * (src/drivers/call.py): each object in it has one member, whose name says what it stands for.
 */
#ifndef BASE_VALUE_TEXT_H
#define BASE_VALUE_TEXT_H

#include <jansson.h>
#include <stddef.h>

#define VALUE_DICT   "dict"   /* an object: a dictionary */
#define VALUE_SET    "set"    /* an array: a set, which no text has */
#define VALUE_NUMBER "number" /* a string: an integer of 19 digits or more; what is no number */

/*
 * Returns the value as a new reference. If the text is not JSON, or an object in it has a member
 * twice, returns NULL, and `where` (may be NULL) says why; see json_text_parse_unique().
 */
json_t *value_text_parse(const char *text, size_t length, json_error_t *where);

#endif

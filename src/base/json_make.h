/*
 * JSON values of C values that may be missing. All return new references.
 */
#ifndef BASE_JSON_MAKE_H
#define BASE_JSON_MAKE_H

#include <jansson.h>

#include "base/strbuf.h"

/* A string; null for NULL. */
json_t *json_make_text(const char *text);

/* A number; null if it is negative, which stands for not known. */
json_t *json_make_count(long long count);

/* A string of the text, valid UTF-8, which is emptied so that it is not in memory twice. */
json_t *json_make_taken(struct strbuf *text);

#endif

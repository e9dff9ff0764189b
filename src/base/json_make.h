/*
 * JSON values of C values that may be missing. All return new references.
 */
#ifndef BASE_JSON_MAKE_H
#define BASE_JSON_MAKE_H

#include <jansson.h>

#include "base/strbuf.h"
#include "base/strvec.h"

/* A string; null for NULL. */
json_t *json_make_text(const char *text);

/*
 * A text of any bytes, which need not be UTF-8, for json_read_any_text(): a string, or if JSON has
 * none of that kind {"base64": ...}; null for NULL.
 */
json_t *json_make_any_text(const char *text);

/* The text of such a value, owned by the caller; NULL if it is none, or has a NUL. */
char *json_read_any_text(const json_t *value);

/* A list of such texts. */
json_t *json_make_list(const struct strvec *list);

/* Adds the texts of such a list. Returns false if it is none; then some may have been added. */
bool json_read_list(const json_t *array, struct strvec *list);

/* A number; null if it is negative, which stands for not known. */
json_t *json_make_count(long long count);

/* A string of the text, valid UTF-8, which is emptied so that it is not in memory twice. */
json_t *json_make_taken(struct strbuf *text);

#endif

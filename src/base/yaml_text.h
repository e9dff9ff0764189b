/*
 * Parses a small YAML file of a person, such as the configuration of a test, within bounds. What
 * could make more of the file than it has is refused: aliases, anchors, tags and a second document.
 */
#ifndef BASE_YAML_TEXT_H
#define BASE_YAML_TEXT_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strvec.h"

/* Bytes of a text, values in it, and levels of sequences and mappings. */
enum { YAML_TEXT_MAX = 1 << 20, YAML_TEXT_VALUES_MAX = 20000, YAML_TEXT_LEVELS_MAX = 20 };

/*
 * Returns the document as a new reference: sequences and mappings as in JSON, and each scalar as a
 * string of what is written, since "007" may be an argument or a number. A plain scalar that is
 * empty, "~" or "null" is null, and so is an empty document.
 *
 * NULL with ERROR_INPUT, "line 3: ...", if the text is no YAML in UTF-8, if a key is no scalar or
 * is there twice, if a scalar has a NUL in it, or if a bound is exceeded. YAML is that of
 * libyaml: 1.1 without the types.
 */
json_t *yaml_text_parse(const char *text, size_t length, struct error *error);

/*
 * The same, but of a key that is there twice the last value counts, as with PyYAML and other
 * parsers of judges. Adds "line 3: 'x' is there twice" to `repeated` for the first few.
 */
json_t *yaml_text_parse_last(const char *text, size_t length, struct strvec *repeated,
                             struct error *error);

/* Whether a value is a number (base/decimal.h) from `least` to `most`; then *number is it. */
bool yaml_text_number(const json_t *value, double least, double most, double *number);

#endif

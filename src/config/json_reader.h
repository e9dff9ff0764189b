/*
 * The strict reading of a JSON file that people write. Each value has its type and its place in the
 * file, which the messages name. All errors are ERROR_CONFIG.
 */
#ifndef CONFIG_JSON_READER_H
#define CONFIG_JSON_READER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "base/strvec.h"

struct key_rule; /* config/key_rule.h */

/* A position in a file. */
struct json_reader {
    const char *file;
    struct strbuf path; /* "languages.python.image" */
    struct error *error;
    const struct key_rule *rule; /* of the value that is read; NULL outside the configuration */
};

/* The arguments for a message that begins with "%s: %s: ". */
#define JSON_READER_WHERE(reader) (reader)->file, strbuf_string(&(reader)->path)

/* Sets the error "FILE: PATH: must be EXPECTED". Returns -1. */
int json_reader_wrong_type(struct json_reader *reader, const char *expected);

/* Puts the place in the file in front of an ERROR_USAGE of a check. Returns -1. */
int json_reader_wrong_value(struct json_reader *reader);

/* Returns 0 if the check of a value, `result`, was successful, else json_reader_wrong_value(). */
int json_reader_checked(struct json_reader *reader, int result);

/* Sets the error for an unknown key, with the most similar known key. Returns -1. */
int json_reader_unknown_key(struct json_reader *reader, const char *const *known, size_t count);

/* Read a value and replace the older one. Strings and arrays must not be empty. */
int json_reader_string(struct json_reader *reader, const json_t *value, char **string);
int json_reader_strings(struct json_reader *reader, const json_t *value, struct strvec *strings);

/* Like json_reader_strings(), but the array may be empty. */
int json_reader_list(struct json_reader *reader, const json_t *value, struct strvec *strings);

int json_reader_boolean(struct json_reader *reader, const json_t *value, bool *boolean);
int json_reader_whole(struct json_reader *reader, const json_t *value, int minimum, int maximum,
                      int *number);

/*
 * Calls `read` for each member of an object, with the path extended by its key; `target` is handed
 * to it.
 */
int json_reader_members(struct json_reader *reader, const json_t *object,
                        int read(struct json_reader *, const char *, const json_t *, void *),
                        void *target);

#endif

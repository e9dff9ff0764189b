/*
 * The strict reading of a JSON file that people write: each value has its type and its place in the file, which
 * the messages name. All errors are of ERROR_CONFIG.
 */
#ifndef SANDBOX_SCOPE_H
#define SANDBOX_SCOPE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/strbuf.h"
#include "base/strvec.h"

/* Where we are in a file. */
struct scope {
    const char *file;
    struct strbuf path; /* "languages.python.image" */
    struct error *error;
};

/* For messages of one's own: "%s: %s: ...". */
#define SCOPE_WHERE(scope) (scope)->file, strbuf_string(&(scope)->path)

/* "FILE: PATH: must be EXPECTED". Returns -1. */
int scope_wrong_type(struct scope *scope, const char *expected);

/* Gives an ERROR_USAGE of a checking function the place in the file. Returns -1. */
int scope_wrong_value(struct scope *scope);

/* Names the nearest of the known keys. Returns -1. */
int scope_unknown_key(struct scope *scope, const char *const *known, size_t count);

/* In the place of an older value. None of them may be empty. */
int scope_read_string(struct scope *scope, const json_t *value, char **string);
int scope_read_strings(struct scope *scope, const json_t *value, struct strvec *strings);

int scope_read_boolean(struct scope *scope, const json_t *value, bool *boolean);
int scope_read_whole(struct scope *scope, const json_t *value, int least, int most, int *number);

/*
 * Calls `read` for each member of an object with the path extended by its key. `read` gets what the
 * member belongs to as `target`.
 */
int scope_read_members(struct scope *scope, json_t *object,
                       int read(struct scope *, const char *, json_t *, void *), void *target);

#endif

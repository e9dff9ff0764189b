/*
 * Where things are in the text of a JSON file that people edit: an object in the root, and a member
 * of that. It reads what such files have besides JSON (RFC 8259), comments and a comma after the
 * last member (code.visualstudio.com/docs, "JSON with Comments"), and nothing else. It changes
 * nothing and makes no values, so that the rest of the file can stay as it is.
 */
#ifndef MCP_JSON_PLACES_H
#define MCP_JSON_PLACES_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* The deepest nesting that is read. */
enum { JSON_PLACES_DEPTH_MAX = 64 };

/* Offsets of an object in the text. */
struct json_object_place {
    bool found;
    size_t start, end;         /* its opening brace, and what follows the closing one */
    size_t last_key, last_end; /* of the last member; both 0: it has none */
    bool comma;                /* follows the last member */
    size_t tail;               /* what follows the last of: a brace, member, comma or comment */
};

struct json_places {
    struct json_object_place root, servers;
    bool found;                   /* the member of `servers` */
    size_t key, value, value_end; /* of that member */
};

/*
 * Finds the member `name` of the object that is the member `servers` of the root. A byte order mark
 * may precede the root. -1 with ERROR_CONFIG, which begins with the line, if the text cannot be
 * read, is nested too deeply, the root or `servers` is no object, or one of the two names is there
 * twice.
 */
int json_places_find(const char *text, size_t length, const char *servers, const char *name,
                     struct json_places *places, struct error *error);

/* The length of the byte order mark that the text begins with: 3 or 0. */
size_t json_places_mark(const char *text, size_t length);

#endif

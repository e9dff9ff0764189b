/*
 * Output and files of runs that did not fit into a tool result. The client can read them as
 * resources for some minutes. Thread-safe. Memory is bounded: the oldest results are dropped to
 * make room for a new one.
 */
#ifndef MCP_RESULT_STORE_H
#define MCP_RESULT_STORE_H

#include <pthread.h>
#include <stdbool.h>

#include "base/strbuf.h"

enum {
    STORED_ID_SIZE = 17,                 /* with its NUL */
    STORED_TEXT_MAX = 900000,            /* of one stream; more would not fit into one message */
    RESULT_STORE_BYTES_MAX = 16 << 20,   /* of all results */
    RESULT_STORE_AGE_MAX_MS = 15 * 60000 /* older ones are dropped */
};

/* "stdout" and "stderr", the names of streams in results and URIs. */
extern const char *const stream_names[2];

/* The parts of one run that are stored. */
struct stored_result;

struct result_store {
    pthread_mutex_t lock;
    struct stored_result *first; /* owned; the oldest */
    struct stored_result *last;
    size_t bytes;
};

void result_store_init(struct result_store *store);

/*
 * A new result without parts; owned by the caller until result_store_add(). Its id is random, so it
 * cannot be guessed.
 */
struct stored_result *stored_result_new(void);

/* Its id of STORED_ID_SIZE - 1 characters, borrowed. */
const char *stored_result_id(const struct stored_result *stored);

/*
 * Adds a part: "stdout", "stderr" or "files/" and the path of a file. Takes ownership of the data
 * and leaves it empty. The type must be a literal.
 */
void stored_result_add(struct stored_result *stored, const char *name, const char *mime_type,
                       struct strbuf *data);

/* Whether the store can hold this result with so many more bytes. */
bool stored_result_has_room(const struct stored_result *stored, size_t bytes);

/* Stores the result, or frees it if it has no parts. Takes ownership of it. */
void result_store_add(struct result_store *store, struct stored_result *stored);

/*
 * Appends the part of this name, in the result with this id, to `data`. Returns its type, a
 * literal; NULL if there is no such part.
 */
const char *result_store_read(struct result_store *store, const char *id, const char *name,
                              struct strbuf *data);

void result_store_release(struct result_store *store);

#endif

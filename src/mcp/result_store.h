/*
 * Output and files of runs that were too much for a tool result, kept for a while so that the
 * client can read them as resources. Thread-safe. Memory is bounded: the oldest are dropped when a
 * new one does not fit.
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

/* A result without parts, whose random id of STORED_ID_SIZE - 1 characters cannot be guessed. */
struct stored_result *stored_result_new(void);
const char *stored_result_id(const struct stored_result *stored);

/*
 * Adds a part: "stdout", "stderr" or "files/" and the path of a file. The data are taken over; the
 * type must be a constant.
 */
void stored_result_add(struct stored_result *stored, const char *name, const char *mime_type,
                       struct strbuf *data);

/* Whether so many bytes more fit into the store with this result. */
bool stored_result_has_room(const struct stored_result *stored, size_t bytes);

/* Stores the result, which is taken over; one without parts is freed. */
void result_store_add(struct result_store *store, struct stored_result *stored);

/*
 * Copies the part of this name in the result with this id. Returns its type, NULL if there is none.
 */
const char *result_store_read(struct result_store *store, const char *id, const char *name,
                              struct strbuf *data);

void result_store_release(struct result_store *store);

#endif

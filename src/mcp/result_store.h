/*
 * What a run left that was too much for its answer, output and files, kept for a while so that the client can
 * read it as resources. Thread-safe. Memory is bounded: the oldest go when a new one does not fit.
 */
#ifndef MCP_RESULT_STORE_H
#define MCP_RESULT_STORE_H

#include <pthread.h>
#include <stdbool.h>

#include "base/strbuf.h"

enum {
    RESULT_ID_SIZE = 17,                 /* with its NUL */
    RUN_TEXT_MAX = 900000,               /* of one stream; more would not go into one message */
    RESULT_STORE_BYTES_MAX = 16 << 20,   /* of all that are kept */
    RESULT_STORE_AGE_MAX_MS = 15 * 60000 /* after that they are gone */
};

/* "stdout" and "stderr", as streams are called in results. */
extern const char *const run_streams[2];

struct run;

struct result_store {
    pthread_mutex_t lock;
    struct run *first; /* owned; the oldest */
    struct run *last;
    size_t bytes;
};

void result_store_init(struct result_store *store);

/* A run with a name that nobody can guess, RESULT_ID_SIZE - 1 characters, but nothing in it yet. */
struct run *stored_result_new(void);
const char *stored_result_id(const struct run *run);

/*
 * Adds something: "stdout", "stderr" or "files/" and the path of a file. The data, whose type is a constant, are
 * taken over.
 */
void stored_result_add(struct run *run, const char *name, const char *mime_type,
                       struct strbuf *data);

/* Whether so many bytes more can be kept with it. */
bool stored_result_has_room(const struct run *run, size_t bytes);

/* Keeps the run, which is taken over; one with nothing in it is not. */
void result_store_keep(struct result_store *store, struct run *run);

/* Copies what has this name in a run; its type, or NULL where there is none of that name. */
const char *result_store_read(struct result_store *store, const char *id, const char *name,
                              struct strbuf *data);

void result_store_release(struct result_store *store);

#endif

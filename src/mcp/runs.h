/*
 * What a run left that was too much for its answer, output and files, kept for a while so that the client can
 * read it as resources. Thread-safe. Memory is bounded: the oldest go when a new one does not fit.
 */
#ifndef MCP_RUNS_H
#define MCP_RUNS_H

#include <pthread.h>
#include <stdbool.h>

#include "base/strbuf.h"

enum {
    RUN_ID_SIZE = 17,            /* with its NUL */
    RUN_TEXT_MAX = 900000,       /* of one stream; more would not go into one message */
    RUNS_BYTES_MAX = 16 << 20,   /* of all that are kept */
    RUNS_AGE_MAX_MS = 15 * 60000 /* after that they are gone */
};

/* "stdout" and "stderr", as streams are called in results. */
extern const char *const run_streams[2];

struct run;

struct runs {
    pthread_mutex_t lock;
    struct run *first; /* owned; the oldest */
    struct run *last;
    size_t bytes;
};

void runs_init(struct runs *runs);

/* A run with a name that nobody can guess, RUN_ID_SIZE - 1 characters, but nothing in it yet. */
struct run *run_new(void);
const char *run_id(const struct run *run);

/*
 * Adds something: "stdout", "stderr" or "files/" and the path of a file. The data, whose type is a constant, are
 * taken over.
 */
void run_add(struct run *run, const char *name, const char *mime_type, struct strbuf *data);

/* Whether so many bytes more can be kept with it. */
bool run_has_room(const struct run *run, size_t bytes);

/* Keeps the run, which is taken over; one with nothing in it is not. */
void runs_keep(struct runs *runs, struct run *run);

/* Copies what has this name in a run; its type, or NULL where there is none of that name. */
const char *runs_read(struct runs *runs, const char *id, const char *name, struct strbuf *data);

void runs_release(struct runs *runs);

#endif

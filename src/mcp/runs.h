/*
 * Outputs that were too long for a model, kept for a while so that the client can read them as
 * resources. Thread-safe. Memory is bounded: the oldest go when a new one does not fit.
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

/* "stdout" and "stderr", as streams are called in results and URIs. */
extern const char *const run_streams[2];

struct run;

struct runs {
    pthread_mutex_t lock;
    struct run *first; /* owned; the oldest */
    struct run *last;
    size_t bytes;
};

void runs_init(struct runs *runs);

/* Takes stdout and stderr over and fills in the name that they get, which nobody can guess. */
void runs_add(struct runs *runs, struct strbuf text[2], char id[RUN_ID_SIZE]);

/* Copies a stream (0 stdout, 1 stderr) of a run to `text`; false where there is none of that name. */
bool runs_read(struct runs *runs, const char *id, int stream, struct strbuf *text);

void runs_release(struct runs *runs);

#endif

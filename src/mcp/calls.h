/*
 * The calls of execute_code: a bounded queue, of which a bounded number run at a time, each call with
 * its cancel handle and its progress. While one call's sandbox is removed, behind its answer, the next
 * already runs; so there are up to twice as many threads as calls that run.
 *
 * Everything but the run itself happens under one lock, so that of cancellation, progress and answer
 * whichever comes first decides: no answer after a cancellation, no progress after the answer.
 */
#ifndef MCP_CALLS_H
#define MCP_CALLS_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>

#include "base/notifier.h"
#include "config/config.h"
#include "config/request.h"
#include "docker/docker.h"
#include "mcp/responder.h"
#include "mcp/result_store.h"
#include "run/run_stats.h"
#include "service/pool.h"

/* Bytes of requests that may wait or run, whatever their number. */
enum { CALLS_BYTES_MAX = 256 << 20 };

struct call {
    struct responder responder;
    json_t *token; /* of progress, owned; NULL: no progress is wanted */
    struct request request;
    struct plan plan; /* borrows from the request */
    size_t size;      /* bytes of the message that it came as */

    /* The rest is kept by calls.c. */
    struct notifier cancel;
    struct run_stats stats;
    size_t returned; /* bytes of the files that its run gave back */
    bool cancelled;  /* the client wants no answer any more */
    long long begin; /* clock_now_ms(); when it was queued */
    long long told;  /* when progress was last sent, at first the same */
    unsigned long long told_bytes;
    long long progress; /* the value last sent */
    struct call *next;
};

/* An empty call, for calls_submit() or call_free(). */
struct call *call_new(void);
void call_free(struct call *call);

struct calls {
    struct docker docker;
    struct pool *warm; /* may be NULL; borrowed, like the next four */
    const struct config *config;
    struct writer *writer;
    struct result_store *store;
    const struct notifier *wake; /* woken when a call has ended */

    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct call *queue; /* the first to be taken */
    struct call *running;
    int queued, most_queued;
    int busy, most_busy; /* of those that run */
    int cores;           /* of this host */
    size_t bytes;        /* of those that wait or run */
    int leaving;         /* answered, but their containers are not removed yet */
    pthread_t *threads;  /* owned */
    int started, idle, most_threads;
    bool ending;
};

void calls_init(struct calls *calls, const struct docker *docker, struct pool *warm,
                const struct config *config, struct writer *writer, struct result_store *store,
                const struct notifier *wake);

/*
 * Queues the call, which is taken over and will be answered. Nothing is taken where too many wait or those
 * that there are have become too large (ERROR_ENGINE), or no thread can be started (ERROR_SYSTEM).
 */
int calls_submit(struct calls *calls, struct call *call, struct error *error);

/* Ends the call that the client knows by this id, without an answer. */
void calls_cancel(struct calls *calls, const json_t *id);

/*
 * Sends the progress that is due. Returns in how many milliseconds to do that again; -1: there is
 * nothing to send until the next call comes.
 */
int calls_tell_progress(struct calls *calls);

/* Ends all calls; no thread begins another. Those that wait or run are answered so. */
void calls_end(struct calls *calls);

/* Whether no call waits or runs, and of none that has ended there is anything left. */
bool calls_done(struct calls *calls);

/* After calls_end(): how many calls still run that their client waits for. */
int calls_unanswered(struct calls *calls);

/* After calls_end() and once calls_done(): waits for the threads and frees everything. */
void calls_release(struct calls *calls);

#endif

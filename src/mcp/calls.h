/*
 * The calls of execute_code that wait or run: each with its progress and the place that its answer
 * goes to. The service (service/service.h) queues and runs them.
 *
 * Cancellation, progress and answer of a call happen under one lock, so that whichever comes first
 * decides: no answer after a cancellation, no progress after the answer.
 */
#ifndef MCP_CALLS_H
#define MCP_CALLS_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>

#include "config/config.h"
#include "config/plan.h"
#include "mcp/responder.h"
#include "mcp/result_store.h"
#include "run/run_stats.h"
#include "service/service.h"

/* Bytes of the plans that may wait or run, whatever their number. */
enum { CALLS_BYTES_MAX = 256 << 20 };

struct call {
    struct responder responder;
    json_t *token; /* of progress, owned; NULL: no progress is wanted */

    /* The rest is kept by calls.c. */
    struct calls *calls;
    struct run_handle *handle; /* valid while the call is in the list */
    struct run_stats stats;
    bool started;        /* it waits no longer */
    bool closed;         /* the client gets no answer any more: it was cancelled, or has one */
    long long begin;     /* clock_now_ms(); when it was submitted */
    long long last_sent; /* clock_now_ms(); of progress, at first the same */
    unsigned long long last_bytes;
    long long progress; /* the value last sent */
    struct call *next;
};

/* An empty call, for calls_submit() or call_free(). */
struct call *call_new(void);
void call_free(struct call *call);

struct calls {
    struct service *service; /* borrowed, like the next three */
    const struct config *config;
    struct writer *writer;
    struct result_store *store;

    pthread_mutex_t lock;
    struct call *list; /* in the order in which they came */
    int left;          /* those in the list, and those whose containers are being removed */
};

void calls_init(struct calls *calls, struct service *service, const struct config *config,
                struct writer *writer, struct result_store *store);

/*
 * Submits the call, which will be answered. The call and the plan are taken over on success. Fails
 * as service_submit().
 */
int calls_submit(struct calls *calls, struct call *call, struct plan *plan, struct error *error);

/* Ends the call that the client knows by this id, without an answer. */
void calls_cancel(struct calls *calls, const json_t *id);

/*
 * Sends the progress that is due. Returns in how many milliseconds to do that again; -1: there is
 * nothing to send until the next call comes.
 */
int calls_tell_progress(struct calls *calls);

/* The server shuts down: answers the calls that wait. The service is closed next. */
void calls_end(struct calls *calls);

/* Whether no call waits or runs, and nothing is left of any that has ended. */
bool calls_done(struct calls *calls);

/* How many calls run that their client waits for. */
int calls_unanswered(struct calls *calls);

/* After the service was closed. */
void calls_release(struct calls *calls);

#endif

/*
 * The handle of a run, and lists of handles in the order in which they were added. For
 * service/workers.c and service/workers_thread.c, which protect them with their lock.
 */
#ifndef SERVICE_RUN_QUEUE_H
#define SERVICE_RUN_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/notifier.h"
#include "base/strvec.h"
#include "request/plan.h"
#include "service/run_handle.h"

struct session;
struct visit;
struct workers;

struct run_handle {
    struct workers *workers; /* borrowed */
    struct plan plan;        /* owned */
    struct run_callbacks callbacks;
    struct session *session; /* that the run has entered; borrowed; NULL: none */
    struct visit *visit;     /* the same */
    struct notifier cancel;
    size_t bytes;           /* plan_bytes() */
    int retries;            /* how often it was run again */
    long long not_before;   /* clock_now_ms(): it must not start earlier */
    struct strvec problems; /* owned; of the cleanup of earlier attempts */
    unsigned round;         /* of the ramp, when it was started */
    bool begun;             /* the program of this attempt has begun */
    struct run_handle *next;
};

/*
 * Returns a new handle, which takes over the plan, or NULL with ERROR_SYSTEM; then the plan is
 * still the caller's.
 */
struct run_handle *run_handle_new(struct plan *plan, const struct run_callbacks *callbacks,
                                  struct error *error);
void run_handle_free(struct run_handle *handle);

void run_queue_append(struct run_handle **queue, struct run_handle *handle);

/* Returns whether it was there. */
bool run_queue_remove(struct run_handle **queue, struct run_handle *handle);

/* Takes out the first one; the queue is not empty. */
struct run_handle *run_queue_take(struct run_handle **queue);

/*
 * The first one that may start at `now`, while the runs of `active` are active; it stays in the
 * queue. NULL: none. The runs of a session are active one at a time, in their order.
 */
struct run_handle *run_queue_due(struct run_handle *queue, const struct run_handle *active,
                                 long long now);

/* The earliest not_before of those that need not wait for one of `active`; -1: there is none. */
long long run_queue_next_due(const struct run_handle *queue, const struct run_handle *active);

#endif

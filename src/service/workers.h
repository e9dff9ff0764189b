/*
 * The queue of runs and the threads that work on it. For service/service.c.
 *
 * A bounded number of runs is active at a time, and a bounded number waits. While the container of
 * a run is removed, after its result was delivered, the next run is active already; so there are up
 * to twice as many threads as active runs. The runs of a session are active one at a time, in their
 * order. One that waits for another one of its session takes up no thread.
 */
#ifndef SERVICE_WORKERS_H
#define SERVICE_WORKERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "base/notifier.h"
#include "docker/docker.h"
#include "request/plan.h"
#include "service/audit.h"
#include "service/concurrency_ramp.h"
#include "service/pool.h"
#include "service/run_queue.h"
#include "service/sessions.h"
#include "service/visits.h"

struct workers_limits {
    int max_active;   /* runs at a time; at least 1 */
    int max_queued;   /* runs that wait, in addition to those that may start at once */
    size_t max_bytes; /* of all plans that wait or are active (plan_bytes()); 0: no limit */
    bool gradual;     /* begins with few runs at a time, see service/concurrency_ramp.h */
    /*
     * How often a run with REASON_ENGINE or REASON_JUDGE is run again: after 0.5 s, then after
     * twice as long each time, at most 30 s. Meanwhile it waits in the queue. A run of a session or
     * in a workspace is not run again: it would no longer be in its order.
     */
    int max_retries;
};

struct workers {
    const struct docker *docker; /* borrowed, like all pointers here */
    struct pool *pool;           /* NULL: none */
    struct sessions *sessions;
    struct visits *visits;
    struct audit *audit;
    pthread_mutex_t *proving;
    struct tool_set *tools; /* NULL: no plan names servers of tools */
    bool pauses_pool;       /* the pool is paused while the runs need all cores */
    struct workers_limits limits;
    bool (*may_start)(void *context); /* asked before each run starts; NULL: always */
    void *context;
    const struct notifier *changed; /* raised when a run has ended or was cleaned up; or NULL */
    struct notifier idle;           /* raised when a run was cleaned up; for service_close() */

    pthread_mutex_t lock;
    pthread_cond_t work;
    struct concurrency_ramp ramp;
    struct run_handle *queue; /* the first to be taken */
    struct run_handle *active;
    struct run_handle *cancelled; /* taken out of the queue before they started */
    int queued_count, active_count, cleaning_up;
    size_t bytes;
    int cores;          /* of this host */
    pthread_t *threads; /* owned */
    int started, idle_threads, max_threads;
    bool ending;
};

/* ERROR_SYSTEM. */
int workers_open(struct workers *workers, const struct docker *docker, struct pool *pool,
                 struct sessions *sessions, const struct workers_limits *limits,
                 struct error *error);

/* See service_submit(). */
int workers_submit(struct workers *workers, struct plan *plan,
                   const struct run_callbacks *callbacks, struct run_handle **handle,
                   struct error *error);

/* Whether the queue has room for a run, apart from limits.max_bytes. */
bool workers_have_room(struct workers *workers);

void workers_cancel(struct workers *workers, struct run_handle *handle);

/* Cancels the run of the session that is active, if one is. */
void workers_cancel_session(struct workers *workers, const char *id);

/* Checks again whether runs may start. */
void workers_wake(struct workers *workers);

/* Cancels all runs. The callbacks of those that wait are called before this returns. */
void workers_end(struct workers *workers);

/* Whether all runs have ended and are cleaned up. */
bool workers_are_done(struct workers *workers);

/* After workers_end() and when workers_are_done(): waits for the threads and frees everything. */
void workers_close(struct workers *workers);

#endif

/*
 * The state of the pool, shared by the files that implement it: service/pool.c, what callers ask
 * for, and service/pool_thread.c, what its thread does.
 */
#ifndef SERVICE_POOL_STATE_H
#define SERVICE_POOL_STATE_H

#include <pthread.h>
#include <stdbool.h>

#include "run/ready_program.h"
#include "service/pool.h"

/*
 * What a plan needs of an instance, or what an instance is. One with other limits will do too, if
 * they can be changed (instance_set_limits()), which takes time.
 */
struct pool_kind {
    struct spec_fingerprint fingerprint;
    struct container_limits limits;
};

/* The instances that the pool keeps of one language. */
struct pool_class {
    struct plan plan; /* of a request that sets only the language */
    struct pool_kind kind;
    int wanted;
    bool requested; /* the class may be refilled */
    /* Whether its interpreter can be started before the request: for a program, and for a cell. */
    bool can_be_ready[READY_USES];
    enum ready_use last_use; /* of the last request that took an instance, or wanted to */
    long long backoff;       /* ms; 0 while the engine works */
    long long not_before;    /* clock_now_ms() */
};

struct pool_entry {
    struct instance *instance;
    enum ready_use use; /* of its interpreter; READY_USES: it is not ready */
    struct pool_entry *next;
};

struct pool {
    struct docker docker;        /* for making instances, without a trace */
    const struct docker *traced; /* borrowed; with the trace, for runs */
    pthread_mutex_t *proving;    /* borrowed, like the next one; both may be NULL */
    const struct notifier *ended;
    long long max_age;         /* ms */
    long long ready_bytes_max; /* that ready interpreters may use together */
    enum pool_policy policy;
    struct pool_class *classes; /* owned */
    size_t class_count;
    struct notifier cancel; /* cancels the making of an instance, at the end */
    struct notifier wake;   /* wakes the thread */

    pthread_mutex_t lock;
    struct pool_entry *waiting; /* owned; the oldest first */
    bool stopped;               /* no more instances are made, by pool_stop() or pool_end() */
    bool paused;                /* by pool_pause() */
    bool ending, done;          /* pool_end() was called; its work is complete */
    size_t max_shared;          /* instances that runs have returned */
    long long fill_from;        /* clock_now_ms(); no instance is made before */
    bool started;
    pthread_t thread;
};

/* What a plan that sets no limits of its own needs, as far as the engine is known by now. */
struct pool_kind pool_kind_for(const struct pool *pool, const struct plan *plan);

/* Whether both are the same, also their limits. */
bool pool_kind_equal(const struct pool_kind *one, const struct pool_kind *other);

struct pool_kind pool_kind_of(const struct instance *instance);

/* Takes an instance out of the list. Has the lock. */
struct instance *pool_take_out(struct pool_entry **link);

/* Adds one at its end. Has the lock. */
void pool_append(struct pool *pool, struct instance *instance, enum ready_use use);

/* The thread of the pool: maintains it until pool->ending. */
void *pool_maintain(void *pool);

#endif

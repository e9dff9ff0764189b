#include "service/pool_state.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/memory.h"
#include "docker/budget.h"
#include "run/enforcement_probe.h"
#include "run/ready_program.h"

/*
 * How long the pool makes no instance of a class after a failure; doubled after each further one.
 */
enum { MIN_BACKOFF_MS = 1000, MAX_BACKOFF_MS = 300000 };

/* ---- the list; all with the lock */

void pool_append(struct pool *pool, struct instance *instance, enum ready_use use)
{
    struct pool_entry *entry = memory_allocate(sizeof *entry);
    struct pool_entry **last = &pool->waiting;

    while (*last)
        last = &(*last)->next;
    *entry = (struct pool_entry){.instance = instance, .use = use};
    *last = entry;
}

struct instance *pool_take_out(struct pool_entry **link)
{
    struct pool_entry *entry = *link;
    struct instance *instance = entry->instance;

    *link = entry->next;
    free(entry);
    return instance;
}

static bool needs_refill(const struct pool *pool, const struct pool_class *class)
{
    int count = 0;

    if (!class->requested)
        return false;
    for (const struct pool_entry *entry = pool->waiting; entry; entry = entry->next) {
        const struct pool_kind kind = pool_kind_of(entry->instance);

        count += pool_kind_equal(&kind, &class->kind);
    }
    return count < class->wanted;
}

/* Whether runs have returned more than there may be. */
static bool has_too_many(const struct pool *pool)
{
    size_t count = 0;

    for (const struct pool_entry *entry = pool->waiting; entry; entry = entry->next)
        count++;
    return pool->policy == POOL_SHARED && count > pool->max_shared;
}

/*
 * Takes out an instance that has ended or is too old, or the one that has waited for longest of too
 * many; NULL: there is none.
 */
static struct instance *take_stale(struct pool *pool)
{
    const long long oldest = clock_now_ms() - pool->max_age;

    for (struct pool_entry **link = &pool->waiting; *link; link = &(*link)->next)
        if ((*link)->instance->made <= oldest || !instance_waits((*link)->instance))
            return pool_take_out(link);
    return has_too_many(pool) ? pool_take_out(&pool->waiting) : NULL;
}

/* ---- what the thread does */

static void set_earlier(long long *when, long long other)
{
    if (*when < 0 || other < *when)
        *when = other;
}

/*
 * Returns a class that needs an instance which may be made now. NULL if there is none; *when is
 * then the next time to check, if there is one.
 */
static struct pool_class *next_to_refill(struct pool *pool, long long *when)
{
    const long long now = clock_now_ms();

    if (pool->stopped || pool->paused)
        return NULL;
    if (now < pool->fill_from) {
        *when = pool->fill_from;
        return NULL;
    }
    for (size_t i = 0; i < pool->class_count; i++) {
        struct pool_class *class = &pool->classes[i];

        if (!needs_refill(pool, class))
            continue;
        if (class->not_before <= now)
            return class;
        set_earlier(when, class->not_before);
    }
    return NULL;
}

static void dispose_instance(struct instance *instance)
{
    CLEANUP(error_release)
    struct error ignored = ERROR_INIT; /* its labels make it an orphan that is collected */

    instance_remove(instance, 0, &ignored);
    instance_free(instance);
}

/*
 * What the next instance of the class is to be ready for: one is for a cell if the last request was
 * one, or if there are several in advance.
 */
static enum ready_use next_use(const struct pool *pool, const struct pool_class *class)
{
    const bool several = pool->policy == POOL_AHEAD && class->wanted > 1;

    if (!class->can_be_ready[READY_FOR_CELL] || (!several && class->last_use != READY_FOR_CELL))
        return READY_FOR_PROGRAM;
    for (const struct pool_entry *entry = pool->waiting; entry; entry = entry->next) {
        const struct pool_kind kind = pool_kind_of(entry->instance);

        if (entry->use == READY_FOR_CELL && pool_kind_equal(&kind, &class->kind))
            return READY_FOR_PROGRAM;
    }
    return READY_FOR_CELL;
}

/* Whether there is memory for one more ready interpreter, as large as those that wait. */
static bool has_memory(const struct pool *pool)
{
    long long used = 0, largest = 0;

    for (const struct pool_entry *entry = pool->waiting; entry; entry = entry->next) {
        const long long bytes = entry->instance->link.ready_bytes;

        used += bytes;
        largest = bytes > largest ? bytes : largest;
    }
    return used + largest <= pool->ready_bytes_max && pool->ready_bytes_max > 0;
}

/*
 * Starts the interpreter of an instance. If that fails, what it has left is not known, so there has
 * to be another instance, and no further try.
 */
static bool make_ready(struct pool *pool, struct pool_class *class, struct instance *instance,
                       enum ready_use use)
{
    CLEANUP(error_release) struct error failure = ERROR_INIT;
    const long long start = clock_now_ms();

    if (ready_program_make(instance, &class->plan, use,
                           start + budget_ms(&pool->docker, BUDGET_SETUP), &pool->cancel,
                           &failure) == 0) {
        docker_traced(pool->traced, "ready", start);
        return true;
    }
    class->can_be_ready[use] = failure.kind == ERROR_CANCELLED;
    return false;
}

/*
 * Makes an instance, without the lock. NULL if that fails; a run will have the same error and
 * report it.
 */
static struct instance *make_instance(struct pool *pool, const struct pool_class *class,
                                      struct error *error)
{
    struct instance *instance = instance_new(&pool->docker, &class->plan, &class->kind.limits,
                                             pool->max_age + POOL_MAX_USE_MS);
    const long long start = clock_now_ms();

    if (instance_make(instance, &class->plan, start + budget_ms(&pool->docker, BUDGET_SETUP), 0,
                      &pool->cancel, error) == 0) {
        docker_traced(pool->traced, "warm", start);
        return instance;
    }
    instance_free(instance);
    return NULL;
}

/* Whether the engine may make instances of the class, without the lock; it is asked once. */
static bool may_make(struct pool *pool, const struct pool_class *class, struct error *error)
{
    return enforcement_ensure(&pool->docker, &class->plan, pool->proving, &pool->cancel, error) ==
           0;
}

/* Adds an instance of the class. Has the lock, but releases it meanwhile. */
static void refill(struct pool *pool, struct pool_class *class)
{
    CLEANUP(error_release) struct error error = ERROR_INIT;
    const enum ready_use use = next_use(pool, class);
    const bool ready = class->can_be_ready[use] && has_memory(pool);
    struct instance *instance = NULL;
    bool may;

    pthread_mutex_unlock(&pool->lock);
    may = may_make(pool, class, &error);
    pthread_mutex_lock(&pool->lock);
    class->kind = pool_kind_for(pool, &class->plan);
    pthread_mutex_unlock(&pool->lock);
    if (may)
        instance = make_instance(pool, class, &error);
    if (instance && ready && !make_ready(pool, class, instance, use)) {
        dispose_instance(instance);
        pthread_mutex_lock(&pool->lock);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    if (instance) {
        pool_append(pool, instance, ready ? use : READY_USES);
        class->backoff = 0;
        return;
    }
    if (error.kind == ERROR_IMAGE)
        class->requested = false; /* until a run asks for it again */
    class->backoff = class->backoff == 0 ? MIN_BACKOFF_MS : 2 * class->backoff;
    if (class->backoff > MAX_BACKOFF_MS)
        class->backoff = MAX_BACKOFF_MS;
    class->not_before = clock_now_ms() + class->backoff;
}

/* Milliseconds until `when` (clock_now_ms()), for poll(); -1 for -1. */
static int time_until(long long when)
{
    const long long left = when - clock_now_ms();

    return when < 0 ? -1 : left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

/* Waits, without the lock, until there may be something to do: at `when`, if that is not -1. */
static void wait_for_work(struct pool *pool, long long when)
{
    CLEANUP_FREE struct pollfd *polled = NULL;
    nfds_t count = 1;

    for (const struct pool_entry *entry = pool->waiting; entry; entry = entry->next) {
        set_earlier(&when, entry->instance->made + pool->max_age);
        count++;
    }
    polled = memory_allocate(count * sizeof *polled);
    polled[0] = (struct pollfd){notifier_fd(&pool->wake), POLLIN, 0};
    count = 1;
    for (const struct pool_entry *entry = pool->waiting; entry; entry = entry->next)
        polled[count++] = (struct pollfd){entry->instance->client.pidfd, POLLIN, 0};
    pthread_mutex_unlock(&pool->lock);
    io_poll(polled, count, time_until(when));
    notifier_clear(&pool->wake);
    pthread_mutex_lock(&pool->lock);
}

static void maintain(struct pool *pool)
{
    struct instance *stale = take_stale(pool);
    long long when = -1;
    struct pool_class *class;

    if (stale) {
        pthread_mutex_unlock(&pool->lock);
        dispose_instance(stale);
        pthread_mutex_lock(&pool->lock);
        return;
    }
    class = next_to_refill(pool, &when);
    if (class)
        refill(pool, class);
    else
        wait_for_work(pool, when);
}

/* Dismisses all first, so that the engine ends them at the same time. */
static void dispose_all(struct pool_entry *entries)
{
    for (struct pool_entry *entry = entries; entry; entry = entry->next)
        instance_dismiss(entry->instance);
    while (entries)
        dispose_instance(pool_take_out(&entries));
}

void *pool_maintain(void *context)
{
    struct pool *pool = context;
    struct pool_entry *rest;

    pthread_mutex_lock(&pool->lock);
    while (!pool->ending)
        maintain(pool);
    rest = pool->waiting;
    pool->waiting = NULL;
    pthread_mutex_unlock(&pool->lock);
    dispose_all(rest);
    pthread_mutex_lock(&pool->lock);
    pool->done = true;
    pthread_mutex_unlock(&pool->lock);
    if (pool->ended)
        notifier_raise(pool->ended);
    return NULL;
}

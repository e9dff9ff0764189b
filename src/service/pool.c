#include "service/pool.h"

#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/memory.h"
#include "docker/budget.h"

/*
 * The maximum timeout of a run that may use a warm instance. The deadline in its labels allows for
 * it.
 */
enum { MAX_USE_MS = 3600000 };

/* How long after pool_start() a POOL_AHEAD pool begins to make instances. */
enum { DELAY_MS = 1000 };

/*
 * How long after one was taken a POOL_AHEAD pool begins to make another. Making one keeps the cores
 * busy for some tenths of a second, and most programs have ended by then.
 */
enum { SETTLE_MS = 250 };

/*
 * How long the pool makes no instance of a class after a failure; doubled after each further one.
 */
enum { MIN_BACKOFF_MS = 1000, MAX_BACKOFF_MS = 300000 };

/* The instances that the pool keeps of one language. */
struct pool_class {
    struct plan plan; /* of a request that sets only the language */
    struct spec_fingerprint fingerprint;
    int wanted;
    bool requested;       /* the class may be refilled */
    long long backoff;    /* ms; 0 while the engine works */
    long long not_before; /* clock_now_ms() */
};

struct pool_entry {
    struct instance *instance;
    struct pool_entry *next;
};

struct pool {
    struct docker docker;         /* for making instances, without a trace */
    const struct docker *traced;  /* borrowed; with the trace, for runs */
    const struct notifier *ended; /* borrowed; may be NULL */
    long long max_age;            /* ms */
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
    long long fill_from;        /* clock_now_ms(); no instance is made before */
    bool started;
    pthread_t thread;
};

/* ---- the list; all with the lock */

static void append(struct pool *pool, struct instance *instance)
{
    struct pool_entry *entry = memory_allocate(sizeof *entry);
    struct pool_entry **last = &pool->waiting;

    while (*last)
        last = &(*last)->next;
    *entry = (struct pool_entry){.instance = instance};
    *last = entry;
}

static struct instance *take_out(struct pool_entry **link)
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
    for (const struct pool_entry *entry = pool->waiting; entry; entry = entry->next)
        count += spec_fingerprint_equal(&entry->instance->fingerprint, &class->fingerprint);
    return count < class->wanted;
}

/* Takes out an instance that has ended or is too old; NULL: there is none. */
static struct instance *take_stale(struct pool *pool)
{
    const long long oldest = clock_now_ms() - pool->max_age;

    for (struct pool_entry **link = &pool->waiting; *link; link = &(*link)->next)
        if ((*link)->instance->made <= oldest || !instance_waits((*link)->instance))
            return take_out(link);
    return NULL;
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

/* Makes an instance, without the lock. NULL if that fails. */
static struct instance *make_instance(struct pool *pool, const struct pool_class *class)
{
    CLEANUP(error_release)
    struct error ignored = ERROR_INIT; /* a run will have the same and report it */
    struct instance *instance =
        instance_new(&pool->docker, &class->plan, pool->max_age + MAX_USE_MS);
    const long long start = clock_now_ms();

    if (instance_make(instance, &class->plan, start + budget_ms(&pool->docker, BUDGET_SETUP), 0,
                      &pool->cancel, &ignored) == 0) {
        docker_traced(pool->traced, "warm", start);
        return instance;
    }
    instance_free(instance);
    return NULL;
}

/* Adds an instance of the class. Has the lock, but releases it meanwhile. */
static void refill(struct pool *pool, struct pool_class *class)
{
    struct instance *instance;

    pthread_mutex_unlock(&pool->lock);
    instance = make_instance(pool, class);
    pthread_mutex_lock(&pool->lock);
    if (instance) {
        append(pool, instance);
        class->backoff = 0;
        return;
    }
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
        dispose_instance(take_out(&entries));
}

static void *maintain_until_end(void *context)
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

/* ---- the interface */

/* Adds a class for requests that set only the language. */
static void open_class(struct pool *pool, const struct config *config,
                       const struct language *language)
{
    CLEANUP(error_release)
    struct error unfit = ERROR_INIT; /* every run of the language reports the same */
    CLEANUP(request_release) struct request request;
    struct pool_class *class = &pool->classes[pool->class_count];

    *class = (struct pool_class){.plan = PLAN_INIT,
                                 .wanted = pool->policy == POOL_ONE_SHOT ? 1 : language->warm,
                                 .requested = pool->policy == POOL_AHEAD};
    request_init(&request);
    request.language = string_copy(language->name);
    request.input.code = string_copy("");
    if (plan_resolve(&class->plan, config, &request, &unfit) != 0) {
        plan_release(&class->plan);
        return;
    }
    class->fingerprint = instance_fingerprint(&class->plan);
    pool->class_count++;
}

struct pool *pool_open(const struct docker *docker, const struct config *config,
                       enum pool_policy policy, const struct notifier *ended, struct error *error)
{
    struct pool *pool = memory_allocate(sizeof *pool);

    *pool = (struct pool){.docker = *docker,
                          .traced = docker,
                          .ended = ended,
                          .policy = policy,
                          .max_age = config->warm_max_age * 1000LL,
                          .cancel = NOTIFIER_INIT,
                          .wake = NOTIFIER_INIT};
    pool->docker.trace = NULL;
    if (notifier_open(&pool->cancel, error) != 0 || notifier_open(&pool->wake, error) != 0) {
        notifier_release(&pool->cancel);
        free(pool);
        return NULL;
    }
    pthread_mutex_init(&pool->lock, NULL);
    pool->classes = memory_allocate(config->language_count * sizeof *pool->classes);
    for (size_t i = 0; i < config->language_count; i++)
        if (config->languages[i].warm > 0)
            open_class(pool, config, &config->languages[i]);
    return pool;
}

void pool_start(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    if (!pool->started && !pool->stopped && pool->class_count > 0) {
        pool->fill_from = clock_now_ms() + (pool->policy == POOL_AHEAD ? DELAY_MS : 0);
        pool->started = pthread_create(&pool->thread, NULL, maintain_until_end, pool) == 0;
    }
    pthread_mutex_unlock(&pool->lock);
}

void pool_stop(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->stopped = true;
    pthread_mutex_unlock(&pool->lock);
}

void pool_pause(struct pool *pool, bool pause)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    if (pool->paused && !pause)
        notifier_raise(&pool->wake);
    pool->paused = pause;
    pthread_mutex_unlock(&pool->lock);
}

/* The link to an instance that the plan can use; NULL: there is none. Has the lock. */
static struct pool_entry **find(struct pool *pool, const struct spec_fingerprint *fingerprint)
{
    for (struct pool_entry **link = &pool->waiting; *link && !pool->ending; link = &(*link)->next)
        if (spec_fingerprint_equal(&(*link)->instance->fingerprint, fingerprint) &&
            instance_waits((*link)->instance))
            return link;
    return NULL;
}

/* Sets whether the classes of this fingerprint are refilled, and wakes the thread. Has the lock. */
static void set_requested(struct pool *pool, const struct spec_fingerprint *fingerprint,
                          bool requested)
{
    for (size_t i = 0; i < pool->class_count; i++)
        if (spec_fingerprint_equal(&pool->classes[i].fingerprint, fingerprint))
            pool->classes[i].requested = requested;
    notifier_raise(&pool->wake);
}

bool pool_request(struct pool *pool, const struct plan *plan)
{
    struct spec_fingerprint fingerprint;
    bool waits;

    if (!pool)
        return false;
    fingerprint = instance_fingerprint(plan);
    pthread_mutex_lock(&pool->lock);
    waits = find(pool, &fingerprint) != NULL;
    set_requested(pool, &fingerprint, !waits || pool->policy != POOL_ONE_SHOT);
    pthread_mutex_unlock(&pool->lock);
    return waits;
}

struct instance *pool_take(struct pool *pool, const struct plan *plan)
{
    const long long now = clock_now_ms();
    struct spec_fingerprint fingerprint;
    struct instance *taken = NULL;
    struct pool_entry **link;

    if (!pool || limits_timeout_ms(&plan->policy.limits) > MAX_USE_MS)
        return NULL;
    fingerprint = instance_fingerprint(plan);
    pthread_mutex_lock(&pool->lock);
    link = find(pool, &fingerprint);
    if (link) {
        taken = take_out(link);
        taken->container.docker = pool->traced;
        if (pool->policy == POOL_AHEAD && pool->fill_from < now)
            pool->fill_from = now + SETTLE_MS;
    }
    set_requested(pool, &fingerprint, pool->policy != POOL_ONE_SHOT);
    pthread_mutex_unlock(&pool->lock);
    return taken;
}

void pool_end(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->stopped = pool->ending = true;
    pool->done |= !pool->started;
    notifier_raise(&pool->cancel);
    notifier_raise(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
}

bool pool_has_ended(struct pool *pool)
{
    bool done = true;

    if (pool) {
        pthread_mutex_lock(&pool->lock);
        done = pool->done;
        pthread_mutex_unlock(&pool->lock);
    }
    return done;
}

void pool_close(struct pool *pool)
{
    if (!pool)
        return;
    if (pool->started)
        pthread_join(pool->thread, NULL);
    for (size_t i = 0; i < pool->class_count; i++)
        plan_release(&pool->classes[i].plan);
    free(pool->classes);
    notifier_release(&pool->cancel);
    notifier_release(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

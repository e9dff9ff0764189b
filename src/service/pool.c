#include "service/pool.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/notifier.h"
#include "docker/budget.h"

/* The longest that a request may use a sandbox which has waited: what its label allows for. */
enum { LONGEST_USE_MS = 3600000 };

/* How long after it was first asked for the pool begins to make something. */
enum { DELAY_MS = 1000 };

/*
 * How long after one was taken the pool begins to make another, where it is ahead: to make one keeps the
 * cores busy for some tenths of a second, and most programs have ended by then.
 */
enum { SETTLE_MS = 250 };

/* How long the pool makes none of a language after a failure; twice as long after each further one. */
enum { BACKOFF_LEAST_MS = 1000, BACKOFF_MOST_MS = 300000 };

/* What is kept of one language. */
struct pool_class {
    struct request request; /* of nothing but the language */
    struct plan plan;       /* borrows from it */
    char *fingerprint;      /* owned */
    int wanted;
    bool asked;           /* it may be filled */
    long long backoff;    /* ms; 0 while the engine does what it shall */
    long long not_before; /* clock_now_ms() */
};

struct pool_entry {
    struct instance *instance;
    struct pool_entry *next;
};

struct pool {
    struct docker docker; /* without the trace of single steps */
    const struct docker *traced;
    const struct notifier *ended; /* borrowed; may be NULL */
    long long age_most;           /* ms */
    enum pool_when when;
    struct pool_class *classes; /* owned */
    size_t class_count;
    struct notifier cancel; /* of what is being made, at the end */
    struct notifier wake;   /* of the thread */

    pthread_mutex_t lock;
    struct pool_entry *waiting; /* owned; the oldest first */
    bool stopped, paused, ending, done;
    long long fill_from; /* clock_now_ms(); not before */
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

    if (!class->asked)
        return false;
    for (const struct pool_entry *entry = pool->waiting; entry; entry = entry->next)
        count += strcmp(entry->instance->fingerprint, class->fingerprint) == 0;
    return count < class->wanted;
}

/* One that has ended, or has waited too long; NULL where there is none. */
static struct instance *take_stale(struct pool *pool)
{
    const long long oldest = clock_now_ms() - pool->age_most;

    for (struct pool_entry **link = &pool->waiting; *link; link = &(*link)->next)
        if ((*link)->instance->made <= oldest || !instance_waits((*link)->instance))
            return take_out(link);
    return NULL;
}

/* ---- what the thread does */

static void earlier(long long *when, long long other)
{
    if (*when < 0 || other < *when)
        *when = other;
}

/* A shelf that lacks a sandbox which may be made now. Else NULL, and *when there may be one. */
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
        earlier(when, class->not_before);
    }
    return NULL;
}

static void dispose(struct instance *instance)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT; /* its label tells whose it was */

    instance_remove(instance, 0, &ignored);
    instance_free(instance);
}

/* Makes one, without the lock. NULL where that fails. */
static struct instance *make(struct pool *pool, const struct pool_class *class)
{
    CLEANUP(error_release)
    struct error ignored = ERROR_INIT; /* a request will meet it and say it */
    struct instance *instance =
        instance_new(&pool->docker, &class->plan, NULL, pool->age_most + LONGEST_USE_MS);
    const long long start = clock_now_ms();

    if (instance_make(instance, &class->plan, start + budget_ms(&pool->docker, BUDGET_SETUP), 0,
                      &pool->cancel, &ignored) == 0) {
        docker_traced(pool->traced, "warm", start);
        return instance;
    }
    instance_free(instance);
    return NULL;
}

/* Makes one for the shelf. Has the lock, but not meanwhile. */
static void fill(struct pool *pool, struct pool_class *class)
{
    struct instance *instance;

    pthread_mutex_unlock(&pool->lock);
    instance = make(pool, class);
    pthread_mutex_lock(&pool->lock);
    if (instance) {
        append(pool, instance);
        class->backoff = 0;
        return;
    }
    class->backoff = class->backoff == 0 ? BACKOFF_LEAST_MS : 2 * class->backoff;
    if (class->backoff > BACKOFF_MOST_MS)
        class->backoff = BACKOFF_MOST_MS;
    class->not_before = clock_now_ms() + class->backoff;
}

/* Waits, without the lock, till there may be something to do: at `when`, if that is not -1. */
static void wait_for_work(struct pool *pool, long long when)
{
    struct pollfd *polled;
    nfds_t count = 1;
    int wait = -1;

    for (const struct pool_entry *entry = pool->waiting; entry; entry = entry->next) {
        earlier(&when, entry->instance->made + pool->age_most);
        count++;
    }
    polled = memory_allocate(count * sizeof *polled);
    polled[0] = (struct pollfd){notifier_fd(&pool->wake), POLLIN, 0};
    count = 1;
    for (const struct pool_entry *entry = pool->waiting; entry; entry = entry->next)
        polled[count++] = (struct pollfd){entry->instance->client.pidfd, POLLIN, 0};
    pthread_mutex_unlock(&pool->lock);
    if (when >= 0) {
        const long long left = when - clock_now_ms();

        wait = left > 0 ? (int)left : 0;
    }
    poll(polled, count, wait);
    notifier_clear(&pool->wake);
    free(polled);
    pthread_mutex_lock(&pool->lock);
}

static void maintain(struct pool *pool)
{
    struct instance *stale = take_stale(pool);
    long long when = -1;
    struct pool_class *needing;

    if (stale) {
        pthread_mutex_unlock(&pool->lock);
        dispose(stale);
        pthread_mutex_lock(&pool->lock);
        return;
    }
    needing = next_to_refill(pool, &when);
    if (needing)
        fill(pool, needing);
    else
        wait_for_work(pool, when);
}

/* All of them are told first, so that the engine ends them side by side. */
static void dispose_all(struct pool_entry *entries)
{
    for (struct pool_entry *entry = entries; entry; entry = entry->next)
        instance_dismiss(entry->instance);
    while (entries)
        dispose(take_out(&entries));
}

static void *pool_thread(void *context)
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

/* ---- what others see */

static void release_class(struct pool_class *class)
{
    plan_release(&class->plan);
    request_release(&class->request);
    free(class->fingerprint);
}

/* A request for nothing but the language; the plan tells what a sandbox for it is. */
static void open_class(struct pool *pool, const struct config *config,
                       const struct language *language)
{
    CLEANUP(error_release) struct error unfit = ERROR_INIT; /* so is every request for it, then */
    struct pool_class *class = &pool->classes[pool->class_count];

    *class = (struct pool_class){
        .plan = PLAN_INIT, .wanted = language->warm, .asked = pool->when == POOL_AHEAD};
    request_init(&class->request);
    class->request.language = string_copy(language->name);
    class->request.code = string_copy("");
    if (plan_resolve(&class->plan, config, &class->request, &unfit) == 0) {
        class->fingerprint = instance_fingerprint(&class->plan);
        pool->class_count++;
    } else {
        release_class(class);
    }
}

struct pool *pool_open(const struct docker *docker, const struct config *config,
                       enum pool_when when, const struct notifier *wake, struct error *error)
{
    struct pool *pool = memory_allocate(sizeof *pool);

    *pool = (struct pool){.docker = *docker,
                          .traced = docker,
                          .ended = wake,
                          .when = when,
                          .age_most = config->warm_max_age * 1000LL,
                          .cancel = NOTIFIER_INIT};
    pool->docker.trace = NULL;
    if (notifier_open(&pool->cancel, error) != 0) {
        free(pool);
        return NULL;
    }
    if (notifier_open(&pool->wake, error) != 0) {
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

void pool_begin(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    if (!pool->started && !pool->stopped && pool->class_count > 0) {
        pool->fill_from = clock_now_ms() + (pool->when == POOL_AHEAD ? DELAY_MS : 0);
        pool->started = pthread_create(&pool->thread, NULL, pool_thread, pool) == 0;
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

void pool_pause(struct pool *pool, bool paused)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    if (pool->paused && !paused)
        notifier_raise(&pool->wake);
    pool->paused = paused;
    pthread_mutex_unlock(&pool->lock);
}

/*
 * Where one hangs that the plan can use; NULL: there is none. From now on there shall be. Has the lock, and wakes
 * the thread, which may have something to do.
 */
static struct pool_entry **ask(struct pool *pool, const struct plan *plan)
{
    CLEANUP_FREE char *fingerprint = NULL;
    struct pool_entry **found = NULL;

    if (limits_timeout_ms(&plan->policy.limits) > LONGEST_USE_MS)
        return NULL;
    fingerprint = instance_fingerprint(plan);
    for (size_t i = 0; i < pool->class_count; i++)
        pool->classes[i].asked |= strcmp(pool->classes[i].fingerprint, fingerprint) == 0;
    for (struct pool_entry **link = &pool->waiting; *link && !pool->ending && !found;
         link = &(*link)->next)
        if (strcmp((*link)->instance->fingerprint, fingerprint) == 0 &&
            instance_waits((*link)->instance))
            found = link;
    notifier_raise(&pool->wake);
    return found;
}

bool pool_waits(struct pool *pool, const struct plan *plan)
{
    bool waits;

    if (!pool)
        return false;
    pthread_mutex_lock(&pool->lock);
    waits = ask(pool, plan) != NULL;
    pthread_mutex_unlock(&pool->lock);
    return waits;
}

struct instance *pool_take(struct pool *pool, const struct plan *plan)
{
    const long long now = clock_now_ms();
    struct instance *taken = NULL;
    struct pool_entry **link;

    if (!pool)
        return NULL;
    pthread_mutex_lock(&pool->lock);
    link = ask(pool, plan);
    if (link)
        taken = take_out(link);
    if (taken)
        taken->container.docker = pool->traced;
    if (taken && pool->when == POOL_AHEAD && pool->fill_from < now)
        pool->fill_from = now + SETTLE_MS;
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

bool pool_done(struct pool *pool)
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
        release_class(&pool->classes[i]);
    free(pool->classes);
    notifier_release(&pool->cancel);
    notifier_release(&pool->wake);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

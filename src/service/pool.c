#include "service/pool_state.h"

#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/thread.h"
#include "run/ready_program.h"
#include "run/sharing.h"
#include "run/submission.h"

/* How long after pool_start() a POOL_AHEAD pool begins to make instances. */
enum { DELAY_MS = 1000 };

/*
 * How long after one was taken a POOL_AHEAD pool begins to make another. Making one keeps the cores
 * busy for some tenths of a second, and most programs have ended by then.
 */
enum { REFILL_DELAY_MS = 250 };

struct pool_kind pool_kind_for(const struct pool *pool, const struct plan *plan)
{
    return (struct pool_kind){instance_fingerprint(plan),
                              submission_plan_limits(plan, &pool->docker)};
}

struct pool_kind pool_kind_of(const struct instance *instance)
{
    return (struct pool_kind){instance->fingerprint, instance->limits};
}

/* Whether they differ in nothing but perhaps limits that can be changed. */
static bool will_do(const struct pool *pool, const char *oci_runtime, const struct pool_kind *one,
                    const struct pool_kind *other)
{
    return spec_fingerprint_equal(&one->fingerprint, &other->fingerprint) &&
           container_limits_can_become(&pool->docker, oci_runtime, &one->limits, &other->limits);
}

bool pool_kind_equal(const struct pool_kind *one, const struct pool_kind *other)
{
    return spec_fingerprint_equal(&one->fingerprint, &other->fingerprint) &&
           container_limits_equal(&one->limits, &other->limits);
}

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
    class->kind = pool_kind_for(pool, &class->plan);
    for (enum ready_use use = READY_FOR_PROGRAM; use < READY_FOR_TESTS; use++)
        class->can_be_ready[use] = ready_program_is_possible(&class->plan, use);
    pool->class_count++;
}

struct pool *pool_open(const struct docker *docker, const struct config *config,
                       enum pool_policy policy, pthread_mutex_t *proving,
                       const struct notifier *ended, struct error *error)
{
    struct pool *pool = memory_allocate(sizeof *pool);

    *pool = (struct pool){.docker = *docker,
                          .traced = docker,
                          .proving = proving,
                          .ended = ended,
                          .policy = policy,
                          .max_age = config->warm_max_age * 1000LL,
                          .ready_bytes_max = (long long)config->warm_memory_mb << 20,
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
    for (size_t i = 0; i < config->language_count && policy != POOL_SHARED; i++)
        if (config->languages[i].warm > 0)
            open_class(pool, config, &config->languages[i]);
    return pool;
}

void pool_start(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    if (!pool->started && !pool->stopped &&
        (pool->class_count > 0 || pool->policy == POOL_SHARED)) {
        pool->fill_from = clock_now_ms() + (pool->policy == POOL_AHEAD ? DELAY_MS : 0);
        pool->started = thread_start(&pool->thread, pool_maintain, pool) == 0;
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

static enum ready_use use_of(const struct plan *plan)
{
    return plan_kind(plan) == PLAN_CELL ? READY_FOR_CELL : READY_FOR_PROGRAM;
}

/* Whether the plan can use the instance of the entry. One that is shared has to be equal. */
static bool suits(const struct pool *pool, const struct pool_entry *entry, const struct plan *plan,
                  const struct pool_kind *wanted)
{
    const struct pool_kind kind = pool_kind_of(entry->instance);
    const struct container_limits limits =
        container_limits_of_engine(&pool->docker, &wanted->limits);

    return will_do(pool, plan->policy.oci_runtime, &kind, wanted) &&
           (entry->instance->share.served == 0 || container_limits_equal(&kind.limits, &limits)) &&
           sharing_suits(entry->instance, plan);
}

/*
 * The link to the best instance that the plan can use: one with the same limits, and then one that
 * is ready for such a request. NULL: there is none. Has the lock.
 */
static struct pool_entry **find(struct pool *pool, const struct plan *plan,
                                const struct pool_kind *wanted)
{
    const enum ready_use use = use_of(plan);
    struct pool_entry **best = NULL;
    int best_rank = 0;

    for (struct pool_entry **link = &pool->waiting; *link && !pool->ending; link = &(*link)->next) {
        const struct pool_kind kind = pool_kind_of((*link)->instance);
        const int rank = 1 + 2 * pool_kind_equal(&kind, wanted) + ((*link)->use == use ? 1 : 0);

        if (rank > best_rank && suits(pool, *link, plan, wanted) &&
            instance_waits((*link)->instance)) {
            best = link;
            best_rank = rank;
        }
    }
    return best;
}

/*
 * Sets whether the classes of this kind are refilled, or if there are none, those that differ only
 * in their limits; and wakes the thread. Has the lock.
 */
static void set_requested(struct pool *pool, const struct plan *plan,
                          const struct pool_kind *wanted, bool requested)
{
    const char *oci_runtime = plan->policy.oci_runtime;
    bool exact = false;

    for (size_t i = 0; i < pool->class_count; i++)
        exact |= pool_kind_equal(&pool->classes[i].kind, wanted);
    for (size_t i = 0; i < pool->class_count; i++)
        if (exact ? pool_kind_equal(&pool->classes[i].kind, wanted)
                  : will_do(pool, oci_runtime, &pool->classes[i].kind, wanted)) {
            pool->classes[i].requested = requested;
            pool->classes[i].last_use = use_of(plan);
        }
    notifier_raise(&pool->wake);
}

bool pool_request(struct pool *pool, const struct plan *plan)
{
    struct pool_kind wanted;
    bool waits;

    if (!pool)
        return false;
    wanted = pool_kind_for(pool, plan);
    pthread_mutex_lock(&pool->lock);
    waits = find(pool, plan, &wanted) != NULL;
    set_requested(pool, plan, &wanted, !waits || pool->policy != POOL_ONE_SHOT);
    pthread_mutex_unlock(&pool->lock);
    return waits;
}

struct instance *pool_take(struct pool *pool, const struct plan *plan,
                           const struct container_limits *limits)
{
    const long long now = clock_now_ms();
    struct pool_kind wanted;
    struct instance *taken = NULL;
    struct pool_entry **link;

    if (!pool || plan_programs_ms(plan) > POOL_MAX_USE_MS)
        return NULL;
    wanted = (struct pool_kind){instance_fingerprint(plan), *limits};
    pthread_mutex_lock(&pool->lock);
    link = find(pool, plan, &wanted);
    if (link) {
        taken = pool_take_out(link);
        taken->container.docker = pool->traced;
        if (pool->policy == POOL_AHEAD && pool->fill_from < now)
            pool->fill_from = now + REFILL_DELAY_MS;
    }
    set_requested(pool, plan, &wanted, pool->policy != POOL_ONE_SHOT);
    pthread_mutex_unlock(&pool->lock);
    return taken;
}

bool pool_give(struct pool *pool, struct instance *instance, size_t max)
{
    bool given;

    if (!pool)
        return false;
    pthread_mutex_lock(&pool->lock);
    given = pool->started && !pool->ending;
    if (given) {
        pool->max_shared = max;
        pool_append(pool, instance, READY_USES);
        notifier_raise(&pool->wake);
    }
    pthread_mutex_unlock(&pool->lock);
    return given;
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

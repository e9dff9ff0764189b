#include "sandbox/warm.h"

#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/cancel.h"
#include "base/cleanup.h"
#include "base/duration.h"

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

/* How much of the engine's time making one may take. */
enum { MAKE_PERCENT = 60 };

/* What is kept of one language. */
struct shelf {
    struct request request; /* of nothing but the language */
    struct plan plan;       /* borrows from it */
    char *kind;             /* owned */
    int wanted;
    bool asked;           /* it may be filled */
    long long backoff;    /* ms; 0 while the engine does what it shall */
    long long not_before; /* clock_now_ms() */
};

struct place {
    struct sandbox *sandbox;
    struct place *next;
};

struct warm {
    struct docker docker; /* without the trace of single steps */
    const struct docker *traced;
    const struct wake *ended; /* borrowed; may be NULL */
    long long age_most;       /* ms */
    enum warm_when when;
    struct shelf *shelves; /* owned */
    size_t shelf_count;
    struct cancel cancel; /* of what is being made, at the end */
    struct wake wake;     /* of the thread */

    pthread_mutex_t lock;
    struct place *waiting; /* owned; the oldest first */
    bool stopped, hold, ending, done;
    long long fill_from; /* clock_now_ms(); not before */
    bool started;
    pthread_t thread;
};

/* ---- the list; all with the lock */

static void append(struct warm *warm, struct sandbox *sandbox)
{
    struct place *place = memory_allocate(sizeof *place);
    struct place **last = &warm->waiting;

    while (*last)
        last = &(*last)->next;
    *place = (struct place){.sandbox = sandbox};
    *last = place;
}

static struct sandbox *take_out(struct place **link)
{
    struct place *place = *link;
    struct sandbox *sandbox = place->sandbox;

    *link = place->next;
    free(place);
    return sandbox;
}

static bool lacks(const struct warm *warm, const struct shelf *shelf)
{
    int count = 0;

    if (!shelf->asked)
        return false;
    for (const struct place *place = warm->waiting; place; place = place->next)
        count += strcmp(place->sandbox->kind, shelf->kind) == 0;
    return count < shelf->wanted;
}

/* One that has ended, or has waited too long; NULL where there is none. */
static struct sandbox *take_stale(struct warm *warm)
{
    const long long oldest = clock_now_ms() - warm->age_most;

    for (struct place **link = &warm->waiting; *link; link = &(*link)->next)
        if ((*link)->sandbox->made <= oldest || !sandbox_waits((*link)->sandbox))
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
static struct shelf *next_lack(struct warm *warm, long long *when)
{
    const long long now = clock_now_ms();

    if (warm->stopped || warm->hold)
        return NULL;
    if (now < warm->fill_from) {
        *when = warm->fill_from;
        return NULL;
    }
    for (size_t i = 0; i < warm->shelf_count; i++) {
        struct shelf *shelf = &warm->shelves[i];

        if (!lacks(warm, shelf))
            continue;
        if (shelf->not_before <= now)
            return shelf;
        earlier(when, shelf->not_before);
    }
    return NULL;
}

static void dispose(struct sandbox *sandbox)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT; /* its label tells whose it was */

    sandbox_remove(sandbox, 0, &ignored);
    sandbox_free(sandbox);
}

/* Makes one, without the lock. NULL where that fails. */
static struct sandbox *make(struct warm *warm, const struct shelf *shelf)
{
    CLEANUP(error_release)
    struct error ignored = ERROR_INIT; /* a request will meet it and say it */
    struct sandbox *sandbox =
        sandbox_new(&warm->docker, &shelf->plan, NULL, warm->age_most + LONGEST_USE_MS);
    const long long start = clock_now_ms();

    if (sandbox_make(sandbox, &shelf->plan, start + docker_share(&warm->docker, MAKE_PERCENT), 0,
                     &warm->cancel, &ignored) == 0) {
        docker_traced(warm->traced, "warm", start);
        return sandbox;
    }
    sandbox_free(sandbox);
    return NULL;
}

/* Makes one for the shelf. Has the lock, but not meanwhile. */
static void fill(struct warm *warm, struct shelf *shelf)
{
    struct sandbox *sandbox;

    pthread_mutex_unlock(&warm->lock);
    sandbox = make(warm, shelf);
    pthread_mutex_lock(&warm->lock);
    if (sandbox) {
        append(warm, sandbox);
        shelf->backoff = 0;
        return;
    }
    shelf->backoff = shelf->backoff == 0 ? BACKOFF_LEAST_MS : 2 * shelf->backoff;
    if (shelf->backoff > BACKOFF_MOST_MS)
        shelf->backoff = BACKOFF_MOST_MS;
    shelf->not_before = clock_now_ms() + shelf->backoff;
}

/* Waits, without the lock, till there may be something to do: at `when`, if that is not -1. */
static void wait_for_work(struct warm *warm, long long when)
{
    struct pollfd *polled;
    nfds_t count = 1;
    int wait = -1;

    for (const struct place *place = warm->waiting; place; place = place->next) {
        earlier(&when, place->sandbox->made + warm->age_most);
        count++;
    }
    polled = memory_allocate(count * sizeof *polled);
    polled[0] = (struct pollfd){wake_fd(&warm->wake), POLLIN, 0};
    count = 1;
    for (const struct place *place = warm->waiting; place; place = place->next)
        polled[count++] = (struct pollfd){place->sandbox->client.pidfd, POLLIN, 0};
    pthread_mutex_unlock(&warm->lock);
    if (when >= 0) {
        const long long left = when - clock_now_ms();

        wait = left > 0 ? (int)left : 0;
    }
    poll(polled, count, wait);
    wake_clear(&warm->wake);
    free(polled);
    pthread_mutex_lock(&warm->lock);
}

static void keep(struct warm *warm)
{
    struct sandbox *stale = take_stale(warm);
    long long when = -1;
    struct shelf *lack;

    if (stale) {
        pthread_mutex_unlock(&warm->lock);
        dispose(stale);
        pthread_mutex_lock(&warm->lock);
        return;
    }
    lack = next_lack(warm, &when);
    if (lack)
        fill(warm, lack);
    else
        wait_for_work(warm, when);
}

/* All of them are told first, so that the engine ends them side by side. */
static void dispose_all(struct place *places)
{
    for (struct place *place = places; place; place = place->next)
        sandbox_dismiss(place->sandbox);
    while (places)
        dispose(take_out(&places));
}

static void *keep_filled(void *context)
{
    struct warm *warm = context;
    struct place *rest;

    pthread_mutex_lock(&warm->lock);
    while (!warm->ending)
        keep(warm);
    rest = warm->waiting;
    warm->waiting = NULL;
    pthread_mutex_unlock(&warm->lock);
    dispose_all(rest);
    pthread_mutex_lock(&warm->lock);
    warm->done = true;
    pthread_mutex_unlock(&warm->lock);
    if (warm->ended)
        wake_up(warm->ended);
    return NULL;
}

/* ---- what others see */

static void release_shelf(struct shelf *shelf)
{
    plan_release(&shelf->plan);
    request_release(&shelf->request);
    free(shelf->kind);
}

/* A request for nothing but the language; the plan tells what a sandbox for it is. */
static void open_shelf(struct warm *warm, const struct config *config,
                       const struct language *language)
{
    CLEANUP(error_release) struct error unfit = ERROR_INIT; /* so is every request for it, then */
    struct shelf *shelf = &warm->shelves[warm->shelf_count];

    *shelf = (struct shelf){
        .plan = PLAN_INIT, .wanted = language->warm, .asked = warm->when == WARM_AHEAD};
    request_init(&shelf->request);
    shelf->request.language = string_copy(language->name);
    shelf->request.code = string_copy("");
    if (plan_resolve(&shelf->plan, config, &shelf->request, &unfit) == 0) {
        shelf->kind = sandbox_kind(&shelf->plan);
        warm->shelf_count++;
    } else {
        release_shelf(shelf);
    }
}

struct warm *warm_open(const struct docker *docker, const struct config *config,
                       enum warm_when when, const struct wake *wake, struct error *error)
{
    struct warm *warm = memory_allocate(sizeof *warm);

    *warm = (struct warm){.docker = *docker,
                          .traced = docker,
                          .ended = wake,
                          .when = when,
                          .age_most = config->warm_age_most * 1000LL,
                          .cancel = CANCEL_INIT};
    warm->docker.trace = NULL;
    if (cancel_open(&warm->cancel, error) != 0) {
        free(warm);
        return NULL;
    }
    if (wake_open(&warm->wake, error) != 0) {
        cancel_release(&warm->cancel);
        free(warm);
        return NULL;
    }
    pthread_mutex_init(&warm->lock, NULL);
    warm->shelves = memory_allocate(config->language_count * sizeof *warm->shelves);
    for (size_t i = 0; i < config->language_count; i++)
        if (config->languages[i].warm > 0)
            open_shelf(warm, config, &config->languages[i]);
    return warm;
}

void warm_begin(struct warm *warm)
{
    if (!warm)
        return;
    pthread_mutex_lock(&warm->lock);
    if (!warm->started && !warm->stopped && warm->shelf_count > 0) {
        warm->fill_from = clock_now_ms() + (warm->when == WARM_AHEAD ? DELAY_MS : 0);
        warm->started = pthread_create(&warm->thread, NULL, keep_filled, warm) == 0;
    }
    pthread_mutex_unlock(&warm->lock);
}

void warm_stop(struct warm *warm)
{
    if (!warm)
        return;
    pthread_mutex_lock(&warm->lock);
    warm->stopped = true;
    pthread_mutex_unlock(&warm->lock);
}

void warm_hold(struct warm *warm, bool hold)
{
    if (!warm)
        return;
    pthread_mutex_lock(&warm->lock);
    if (warm->hold && !hold)
        wake_up(&warm->wake);
    warm->hold = hold;
    pthread_mutex_unlock(&warm->lock);
}

/*
 * Where one hangs that the plan can use; NULL: there is none. From now on there shall be. Has the lock, and wakes
 * the thread, which may have something to do.
 */
static struct place **ask(struct warm *warm, const struct plan *plan)
{
    CLEANUP_FREE char *kind = NULL;
    struct place **found = NULL;

    if (limits_timeout_ms(&plan->limits) > LONGEST_USE_MS)
        return NULL;
    kind = sandbox_kind(plan);
    for (size_t i = 0; i < warm->shelf_count; i++)
        warm->shelves[i].asked |= strcmp(warm->shelves[i].kind, kind) == 0;
    for (struct place **link = &warm->waiting; *link && !warm->ending && !found;
         link = &(*link)->next)
        if (strcmp((*link)->sandbox->kind, kind) == 0 && sandbox_waits((*link)->sandbox))
            found = link;
    wake_up(&warm->wake);
    return found;
}

bool warm_waits(struct warm *warm, const struct plan *plan)
{
    bool waits;

    if (!warm)
        return false;
    pthread_mutex_lock(&warm->lock);
    waits = ask(warm, plan) != NULL;
    pthread_mutex_unlock(&warm->lock);
    return waits;
}

struct sandbox *warm_take(struct warm *warm, const struct plan *plan)
{
    const long long now = clock_now_ms();
    struct sandbox *taken = NULL;
    struct place **link;

    if (!warm)
        return NULL;
    pthread_mutex_lock(&warm->lock);
    link = ask(warm, plan);
    if (link)
        taken = take_out(link);
    if (taken)
        taken->box.docker = warm->traced;
    if (taken && warm->when == WARM_AHEAD && warm->fill_from < now)
        warm->fill_from = now + SETTLE_MS;
    pthread_mutex_unlock(&warm->lock);
    return taken;
}

void warm_end(struct warm *warm)
{
    if (!warm)
        return;
    pthread_mutex_lock(&warm->lock);
    warm->stopped = warm->ending = true;
    warm->done |= !warm->started;
    cancel_raise(&warm->cancel);
    wake_up(&warm->wake);
    pthread_mutex_unlock(&warm->lock);
}

bool warm_done(struct warm *warm)
{
    bool done = true;

    if (warm) {
        pthread_mutex_lock(&warm->lock);
        done = warm->done;
        pthread_mutex_unlock(&warm->lock);
    }
    return done;
}

void warm_close(struct warm *warm)
{
    if (!warm)
        return;
    if (warm->started)
        pthread_join(warm->thread, NULL);
    for (size_t i = 0; i < warm->shelf_count; i++)
        release_shelf(&warm->shelves[i]);
    free(warm->shelves);
    cancel_release(&warm->cancel);
    wake_release(&warm->wake);
    pthread_mutex_destroy(&warm->lock);
    free(warm);
}

#include "service/visits.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/thread.h"
#include "service/workspace_visit.h"

/* How long a connection is kept, and how often the keeper looks whether it is wanted. */
enum { KEEP_MS = 60000, LOOK_MS = 50 };

struct visit {
    struct visits *visits; /* borrowed */
    struct job_note note;
    struct workspace_visit way; /* belongs to the command that has begun, or to the keeper */
    int requests;               /* that have entered and not left */
    long long idle_since;       /* clock_now_ms(): when the last one left */
    struct visit *next;
};

struct visits {
    pthread_mutex_t lock;
    pthread_cond_t wake; /* of the keeper */
    struct visit *list;  /* owned */
    bool started, ending;
    pthread_t keeper;
};

/* Functions have the lock if their comment says so. */

struct visits *visits_new(void)
{
    struct visits *visits = memory_allocate(sizeof *visits);
    pthread_condattr_t attributes;

    *visits = (struct visits){.list = NULL};
    pthread_mutex_init(&visits->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&visits->wake, &attributes);
    pthread_condattr_destroy(&attributes);
    return visits;
}

/* ---- the keeper */

/* Whether the visit, which no command uses, is over. Has the lock. */
static bool is_over(const struct visit *visit)
{
    return visit->visits->ending || !run_session_lives(&visit->way.session) ||
           clock_now_ms() - visit->idle_since >= KEEP_MS || workspace_visit_is_wanted(&visit->way);
}

/* Takes out one that is over. `waits` is set if another one may be over later. Has the lock. */
static struct visit *take_over(struct visits *visits, bool *waits)
{
    *waits = false;
    for (struct visit **link = &visits->list; *link; link = &(*link)->next) {
        struct visit *visit = *link;

        if (visit->requests > 0)
            continue;
        if (is_over(visit)) {
            *link = visit->next;
            return visit;
        }
        *waits = true;
    }
    return NULL;
}

static void dispose(struct visit *visit)
{
    workspace_visit_release(&visit->way);
    job_note_release(&visit->note);
    free(visit);
}

/* Has the lock, but releases it meanwhile. */
static void wait_for_work(struct visits *visits, bool waits)
{
    const long long until = clock_now_ms() + LOOK_MS;
    const struct timespec end = {until / 1000, until % 1000 * 1000000};

    if (waits)
        pthread_cond_timedwait(&visits->wake, &visits->lock, &end);
    else
        pthread_cond_wait(&visits->wake, &visits->lock);
}

static void *keep(void *context)
{
    struct visits *visits = context;

    THREAD_LOCK(&visits->lock);
    while (!visits->ending || visits->list) {
        bool waits;
        struct visit *over = take_over(visits, &waits);

        if (!over) {
            wait_for_work(visits, waits);
            continue;
        }
        pthread_mutex_unlock(&visits->lock);
        dispose(over);
        pthread_mutex_lock(&visits->lock);
    }
    return NULL;
}

void visits_free(struct visits *visits)
{
    if (!visits)
        return;
    pthread_mutex_lock(&visits->lock);
    visits->ending = true;
    pthread_cond_signal(&visits->wake);
    pthread_mutex_unlock(&visits->lock);
    if (visits->started)
        pthread_join(visits->keeper, NULL);
    pthread_cond_destroy(&visits->wake);
    pthread_mutex_destroy(&visits->lock);
    free(visits);
}

/* ---- commands */

/* Has the lock. */
static struct visit *find(const struct visits *visits, const char *id)
{
    struct visit *visit = visits->list;

    while (visit && strcmp(visit->note.id, id) != 0)
        visit = visit->next;
    return visit;
}

/* Has the lock. */
static struct visit *add(struct visits *visits, const char *id, struct error *error)
{
    struct visit *visit;

    if (!visits->started && thread_start(&visits->keeper, keep, visits) != 0) {
        error_set_errno(error, ERROR_SYSTEM, "cannot start a thread");
        return NULL;
    }
    visits->started = true;
    visit = memory_allocate(sizeof *visit);
    *visit = (struct visit){.visits = visits, .note = JOB_NOTE_INIT};
    if (job_note_open(&visit->note, id, error) != 0) {
        job_note_release(&visit->note);
        free(visit);
        return NULL;
    }
    workspace_visit_init(&visit->way, &visit->note);
    visit->next = visits->list;
    visits->list = visit;
    return visit;
}

struct visit *visits_enter(struct visits *visits, const struct plan *plan, struct error *error)
{
    struct visit *visit;

    THREAD_LOCK(&visits->lock);
    visit = find(visits, plan->workspace);
    if (!visit)
        visit = add(visits, plan->workspace, error);
    if (visit)
        visit->requests++;
    return visit;
}

struct run_session *visit_begin(struct visit *visit, struct run *run, struct error *error)
{
    return workspace_visit_begin(&visit->way, run, error) == 0 ? &visit->way.session : NULL;
}

/* Others come first if they wait, and then wait no longer than for one command. */
void visit_end(struct visit *visit, struct run *run)
{
    workspace_visit_end(&visit->way, run);
    if (workspace_visit_is_wanted(&visit->way))
        workspace_visit_leave(&visit->way);
}

void visit_leave(struct visit *visit)
{
    struct visits *visits = visit->visits;

    THREAD_LOCK(&visits->lock); /* the visit may be freed after this */
    visit->requests--;
    visit->idle_since = clock_now_ms();
    pthread_cond_signal(&visits->wake);
}

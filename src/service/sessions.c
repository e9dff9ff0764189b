#include "service/sessions_state.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/linux.h"
#include "base/memory.h"
#include "base/thread.h"
#include "container/owned_container.h"

/* Functions have the lock if their comment says so. */

struct sessions *sessions_new(const struct session_settings *settings, const struct notifier *ended,
                              struct error *error)
{
    struct sessions *sessions = memory_allocate(sizeof *sessions);

    *sessions = (struct sessions){.settings = settings, .ended = ended, .wake = NOTIFIER_INIT};
    if (notifier_open(&sessions->wake, error) != 0) {
        free(sessions);
        return NULL;
    }
    pthread_mutex_init(&sessions->lock, NULL);
    pthread_cond_init(&sessions->show_ended, NULL);
    return sessions;
}

/* ---- the ids */

/* Whether the ids are the same, in a time that does not depend on how much of them is. */
static bool id_equal(const char *one, const char *other)
{
    unsigned char differences = 0;

    for (size_t i = 0; i < SESSION_ID_SIZE; i++)
        differences |= (unsigned char)(one[i] ^ other[i]);
    return differences == 0;
}

/* Sets the error for a session that is not open; `reason` may be NULL. Returns NULL. */
static struct session *explain_over(const char *reason, struct error *error)
{
    if (reason)
        error_set(error, ERROR_INPUT, "session ended: %s", reason);
    else
        error_set(error, ERROR_INPUT, "there is no such session: it was closed or never opened");
    return NULL;
}

/* Why the session with this id was evicted; NULL: none that is remembered. Has the lock. */
static const char *reason_of(const struct sessions *sessions, const char *id)
{
    const char *reason = NULL;

    for (size_t i = 0; i < EVICTED_MAX; i++)
        if (id_equal(sessions->evicted[i].id, id))
            reason = sessions->evicted[i].reason;
    return reason;
}

/* The open session with this id; NULL with an error. Has the lock. */
static struct session *find(struct sessions *sessions, const char *id, struct error *error)
{
    char wanted[SESSION_ID_SIZE] = "";
    struct session *found = NULL;
    const char *reason;

    memcpy(wanted, id, strnlen(id, sizeof wanted - 1));
    for (struct session *session = sessions->list; session; session = session->next)
        if (id_equal(session->id, wanted) && !session->over)
            found = session;
    reason = reason_of(sessions, wanted);
    return found ? found : explain_over(reason, error);
}

/* ---- evictions */

char *session_time_text(int seconds)
{
    return seconds % 60 == 0 ? string_format("%d min", seconds / 60)
                             : string_format("%d s", seconds);
}

void session_evict(struct session *session, const char *reason)
{
    struct sessions *sessions = session->sessions;
    struct evicted_session *evicted = &sessions->evicted[sessions->evicted_next];

    sessions->evicted_next = (sessions->evicted_next + 1) % EVICTED_MAX;
    memcpy(evicted->id, session->id, sizeof evicted->id);
    free(evicted->reason);
    evicted->reason = string_copy(reason);
    session->over = true;
}

char *session_overdue(const struct session *session, long long now)
{
    CLEANUP_FREE char *lifetime = NULL;

    if (now < session->end)
        return NULL;
    lifetime = session_time_text(session->sessions->settings->lifetime_seconds);
    return string_format("open for %s", lifetime);
}

/* ---- open and close */

/* Has the lock. */
static int count_open(const struct sessions *sessions)
{
    int count = 0;

    for (const struct session *session = sessions->list; session; session = session->next)
        count += !session->over;
    return count;
}

/* Checks that one more may be opened, and that the keeper is there. Has the lock. */
static int prepare_open(struct sessions *sessions, struct error *error)
{
    const int max = sessions->settings->max;

    if (sessions->ending)
        return error_set(error, ERROR_CANCELLED, "cancelled before the program ran");
    if (max == 0)
        return error_set(error, ERROR_INPUT, "the configuration allows no sessions (sessions.max)");
    if (count_open(sessions) >= max)
        return error_set(error, ERROR_INPUT,
                         "%d sessions are open, and the configuration allows no more "
                         "(sessions.max); close one first",
                         max);
    if (sessions->started)
        return 0;
    if (thread_start(&sessions->keeper, sessions_keep, sessions) != 0)
        return error_set_errno(error, ERROR_SYSTEM, "cannot start a thread");
    sessions->started = true;
    return 0;
}

/* Has the lock. */
static struct session *add(struct sessions *sessions, const struct plan *plan)
{
    const struct session_settings *settings = sessions->settings;
    const long long now = clock_now_ms();
    const struct session_limits limits = {
        .end = now + settings->lifetime_seconds * 1000LL,
        .cpu_seconds = settings->cpu_seconds,
        .output_bytes = (unsigned long long)settings->output_bytes,
    };
    struct session *session = memory_allocate(sizeof *session);

    *session = (struct session){.sessions = sessions, .idle_since = now, .end = limits.end};
    memcpy(session->id, plan->session.id, sizeof session->id);
    session->terms = session_terms_new(plan);
    run_session_init(&session->run, &limits, plan->session.keep_processes);
    session->next = sessions->list;
    sessions->list = session;
    notifier_raise(&sessions->wake);
    return session;
}

int sessions_close(struct sessions *sessions, const char *id, struct error *error)
{
    struct session *session;

    THREAD_LOCK(&sessions->lock);
    session = find(sessions, id, error);
    if (!session)
        return -1;
    session->over = true;
    notifier_raise(&sessions->wake);
    return 0;
}

int sessions_find(struct sessions *sessions, struct request *request, struct error *error)
{
    const struct session *session;

    if (request->session.open)
        linux_random_digits(request->session.id, sizeof request->session.id);
    if (request->session.open || request->session.id[0] == '\0')
        return 0;
    THREAD_LOCK(&sessions->lock);
    session = find(sessions, request->session.id, error);
    if (session)
        request->terms = session_terms_copy(session->terms);
    return session ? 0 : -1;
}

int sessions_count(struct sessions *sessions)
{
    THREAD_LOCK(&sessions->lock);
    return count_open(sessions);
}

/* ---- requests */

struct session *sessions_enter(struct sessions *sessions, const struct plan *plan,
                               struct error *error)
{
    struct session *session = NULL;

    THREAD_LOCK(&sessions->lock);
    if (!plan->session.open)
        session = find(sessions, plan->session.id, error);
    else if (prepare_open(sessions, error) == 0)
        session = add(sessions, plan);
    if (session)
        session->requests++;
    return session;
}

struct run_session *session_begin_request(struct session *session, struct error *error)
{
    struct sessions *sessions = session->sessions;
    CLEANUP_FREE char *overdue = NULL;

    THREAD_LOCK(&sessions->lock);
    while (session->showing)
        pthread_cond_wait(&sessions->show_ended, &sessions->lock);
    if (!session->over && (overdue = session_overdue(session, clock_now_ms())))
        session_evict(session, overdue);
    if (!session->over)
        return &session->run;
    explain_over(reason_of(sessions, session->id), error);
    return NULL;
}

bool session_has_other_name(const struct session *session)
{
    const struct instance *instance = session->run.instance;

    return instance && !session->shown &&
           owned_container_purpose(instance->container.name) != PURPOSE_SESSION;
}

/* Adds to the result of a request why its session is over. Has the lock. */
static void explain_end(const struct session *session, struct result *result)
{
    const char *reason = reason_of(session->sessions, session->id);

    if (result->session && !result->session->ended)
        result->session->ended = string_copy(reason ? reason : "it was closed");
}

void session_end_request(struct session *session, const struct plan *plan, struct result *result)
{
    struct sessions *sessions = session->sessions;
    CLEANUP_FREE char *overdue = NULL;

    if (session_has_other_name(session)) {
        free(result->container);
        result->container = owned_container_session_name(&session->run.instance->container);
    }
    THREAD_LOCK(&sessions->lock);
    overdue = session_overdue(session, clock_now_ms());
    if (!session->over && !session->run.ended && overdue && !plan->session.close)
        session_evict(session, overdue);
    if (session->over)
        explain_end(session, result);
    else if (session->run.ended) /* the result says so already */
        session_evict(session, session->run.ended);
    session->over |= plan->session.close;
}

void session_leave(struct session *session)
{
    struct sessions *sessions = session->sessions;

    THREAD_LOCK(&sessions->lock); /* the session may be freed after this */
    session->requests--;
    session->idle_since = clock_now_ms();
    notifier_raise(&sessions->wake);
}

/* ---- the end */

void sessions_end(struct sessions *sessions)
{
    if (!sessions)
        return;
    THREAD_LOCK(&sessions->lock);
    sessions->ending = true;
    sessions->done |= !sessions->started;
    for (struct session *session = sessions->list; session; session = session->next)
        session->over = true;
    notifier_raise(&sessions->wake);
}

bool sessions_have_ended(struct sessions *sessions)
{
    THREAD_LOCK(&sessions->lock);
    return sessions->done;
}

void sessions_free(struct sessions *sessions)
{
    if (!sessions)
        return;
    if (sessions->started)
        pthread_join(sessions->keeper, NULL);
    for (size_t i = 0; i < EVICTED_MAX; i++)
        free(sessions->evicted[i].reason);
    notifier_release(&sessions->wake);
    pthread_cond_destroy(&sessions->show_ended);
    pthread_mutex_destroy(&sessions->lock);
    free(sessions);
}

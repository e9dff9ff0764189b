/*
 * The keeper: ends sessions that no request has used for too long, that are too old or whose
 * container has ended, and removes the containers of all that are over. Renames the container of
 * one that was warm, when no request has used it for SHOW_AFTER_MS.
 */
#include "service/sessions_state.h"

#include <limits.h>
#include <poll.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/memory.h"
#include "base/thread.h"
#include "container/owned_container.h"
#include "docker/budget.h"

enum { SHOW_AFTER_MS = 1000 };

/* Functions have the lock if their comment says so. */

/* Takes out a session that is over and that no request uses; NULL: there is none. Has the lock. */
static struct session *take_over(struct sessions *sessions)
{
    for (struct session **link = &sessions->list; *link; link = &(*link)->next) {
        struct session *session = *link;

        if (session->over && session->requests == 0) {
            *link = session->next;
            return session;
        }
    }
    return NULL;
}

static void dispose(struct session *session)
{
    CLEANUP(error_release)
    struct error ignored = ERROR_INIT; /* its labels make it an orphan that is collected */

    run_session_remove(&session->run, 0, &ignored);
    run_session_release(&session->run);
    session_terms_free(session->terms);
    free(session);
}

/* ---- names */

/* When the container is to be renamed, if it gets no request; -1: it is not. Has the lock. */
static long long show_time(const struct session *session)
{
    return session_has_other_name(session) ? session->idle_since + SHOW_AFTER_MS : -1;
}

/* The session whose container is to be renamed now; NULL: there is none. Has the lock. */
static struct session *find_unshown(const struct sessions *sessions)
{
    const long long now = clock_now_ms();
    struct session *session = sessions->list;

    while (session && (session->over || session->requests > 0 || show_time(session) < 0 ||
                       show_time(session) > now))
        session = session->next;
    return session;
}

/* No request begins meanwhile. Has the lock, but releases it. */
static void show(struct session *session)
{
    CLEANUP(error_release) struct error ignored = ERROR_INIT; /* people see it as another one */
    struct sessions *sessions = session->sessions;
    struct owned_container *container = &session->run.instance->container;

    session->showing = true;
    session->requests++; /* so that it stays */
    pthread_mutex_unlock(&sessions->lock);
    owned_container_show_session(container, budget_deadline(container->docker, BUDGET_QUERY),
                                 &ignored);
    pthread_mutex_lock(&sessions->lock);
    session->requests--;
    session->showing = false;
    session->shown = true;
    pthread_cond_broadcast(&sessions->show_ended);
}

/* ---- the end of a session */

/* When the session was idle for too long, if it gets no request. Has the lock. */
static long long idle_end(const struct session *session)
{
    return session->idle_since + session->sessions->settings->idle_seconds * 1000LL;
}

/* Why a session that no request uses has to end; owned; NULL: it does not. Has the lock. */
static char *reason_to_end(const struct session *session, long long now)
{
    char *reason = session_overdue(session, now);

    if (!reason && now >= idle_end(session)) {
        CLEANUP_FREE char *time = session_time_text(session->sessions->settings->idle_seconds);

        reason = string_format("idle for %s", time);
    }
    if (!reason && session->run.instance && !run_session_lives(&session->run))
        reason = string_copy(RUN_SESSION_CONTAINER_ENDED);
    return reason;
}

/* Has the lock. */
static void evict(struct sessions *sessions)
{
    const long long now = clock_now_ms();

    for (struct session *session = sessions->list; session; session = session->next) {
        CLEANUP_FREE char *reason = NULL;

        if (!session->over && session->requests == 0 && (reason = reason_to_end(session, now)))
            session_evict(session, reason);
    }
}

/* Milliseconds until `when` (clock_now_ms()), for poll(); -1 for -1. */
static int time_until(long long when)
{
    const long long left = when - clock_now_ms();

    return when < 0 ? -1 : left < 0 ? 0 : left > INT_MAX ? INT_MAX : (int)left;
}

/* The earlier of two times; -1 is none. */
static long long earlier(long long one, long long other)
{
    return one < 0 || (other >= 0 && other < one) ? other : one;
}

/* Waits, without the lock, until there may be something to do. */
static void wait_for_work(struct sessions *sessions)
{
    CLEANUP_FREE struct pollfd *polled = NULL;
    long long when = -1;
    nfds_t count = 1;

    for (const struct session *session = sessions->list; session; session = session->next)
        count++;
    polled = memory_allocate(count * sizeof *polled);
    polled[0] = (struct pollfd){notifier_fd(&sessions->wake), POLLIN, 0};
    count = 1;
    for (const struct session *session = sessions->list; session; session = session->next) {
        if (session->over || session->requests > 0)
            continue;
        when = earlier(when, earlier(session->end, idle_end(session)));
        when = earlier(when, show_time(session));
        if (session->run.instance)
            polled[count++] = (struct pollfd){session->run.instance->client.pidfd, POLLIN, 0};
    }
    pthread_mutex_unlock(&sessions->lock);
    io_poll(polled, count, time_until(when));
    notifier_clear(&sessions->wake);
    pthread_mutex_lock(&sessions->lock);
}

/* Has all containers end at once that no request uses, before each is waited for. Has the lock. */
static void dismiss_idle(struct sessions *sessions)
{
    for (struct session *session = sessions->list; session; session = session->next)
        if (session->over && session->requests == 0 && session->run.instance)
            instance_dismiss(session->run.instance);
}

/* Has the lock, but releases it meanwhile. */
static void keep(struct sessions *sessions)
{
    struct session *over, *unshown;

    evict(sessions);
    dismiss_idle(sessions);
    if ((over = take_over(sessions))) {
        pthread_mutex_unlock(&sessions->lock);
        dispose(over);
        pthread_mutex_lock(&sessions->lock);
    } else if ((unshown = find_unshown(sessions))) {
        show(unshown);
    } else {
        wait_for_work(sessions);
    }
}

void *sessions_keep(void *context)
{
    struct sessions *sessions = context;

    THREAD_LOCK(&sessions->lock);
    while (!sessions->ending || sessions->list)
        keep(sessions);
    sessions->done = true;
    notifier_raise(sessions->ended);
    return NULL;
}

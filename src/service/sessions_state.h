/*
 * The state of the sessions, shared by the files that implement them: service/sessions.c, what
 * callers ask for, and service/sessions_keeper.c, what the keeper does.
 */
#ifndef SERVICE_SESSIONS_STATE_H
#define SERVICE_SESSIONS_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "service/sessions.h"

/* A session that was ended by another than its owner. */
struct evicted_session {
    char id[SESSION_ID_SIZE];
    char *reason; /* owned; "idle for 10 min" */
};

enum { EVICTED_MAX = 64 };

struct session {
    struct sessions *sessions; /* borrowed */
    char id[SESSION_ID_SIZE];
    struct session_terms *terms; /* owned */
    struct run_session run;      /* belongs to the request that has begun, or to the keeper */
    int requests;                /* that have entered and not left */
    long long idle_since;        /* clock_now_ms(): when the last one left */
    long long end;               /* clock_now_ms(): of its lifetime */
    bool showing, shown;         /* the keeper renames its container, or has done so */
    bool over;                   /* requests are refused; it is removed when all have left */
    struct session *next;
};

struct sessions {
    const struct session_settings *settings;
    const struct notifier *ended; /* borrowed */
    struct notifier wake;         /* wakes the keeper */

    pthread_mutex_t lock;
    pthread_cond_t show_ended; /* `showing` of a session is false again */
    struct session *list;      /* owned; those that are open, and those whose container remains */
    struct evicted_session evicted[EVICTED_MAX]; /* a ring */
    size_t evicted_next;                         /* the oldest */
    bool started, ending, done;
    pthread_t keeper;
};

/* Ends a session that is open, for this reason. Has the lock. */
void session_evict(struct session *session, const char *reason);

/* The reason if an open session is too old; owned; NULL: it is not. Has the lock. */
char *session_overdue(const struct session *session, long long now);

/* Whether its container was warm, and is not named after a session yet. Has the lock. */
bool session_has_other_name(const struct session *session);

/* "10 min", "90 s"; owned. */
char *session_time_text(int seconds);

/* The thread of the keeper: works until sessions->ending and all sessions are gone. */
void *sessions_keep(void *sessions);

#endif

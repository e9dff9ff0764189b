/*
 * Sessions: containers that several requests of one owner share, one after the other. The table of
 * those that are open, their ids, and who may still use them. How a request uses the container of
 * its session is the business of run/run_session.h.
 *
 * The id, 128 random bits, is the only handle: who has it is the owner. An id that was closed and
 * one that never was are refused in the same words and in the same time. Of the sessions that were
 * ended otherwise the last 64 are remembered, and requests for them are told why.
 *
 * A session ends when its owner closes it, when it had no request for a while, when it is too old,
 * when its CPU time or output is used up, or when its container ends. A thread, the keeper, removes
 * its container then. It is never used for anything else. A container that was warm is renamed by
 * the keeper when no request has used it for a second, so that people see what it is used for.
 *
 * Thread-safe.
 */
#ifndef SERVICE_SESSIONS_H
#define SERVICE_SESSIONS_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "config/config.h"
#include "docker/docker.h"
#include "request/plan.h"
#include "run/result.h"
#include "run/run_session.h"

struct sessions;
struct session;

/*
 * Returns a table without sessions. Borrows its arguments until sessions_free(). `ended` is raised
 * when what sessions_end() began is done. NULL: ERROR_SYSTEM.
 */
struct sessions *sessions_new(const struct session_settings *settings, const struct notifier *ended,
                              struct error *error);

/* Completes what a request says of its session: see service_find_session(). */
int sessions_find(struct sessions *sessions, struct request *request, struct error *error);

/* Ends the session for its owner. Requests of it are refused from now on. ERROR_INPUT. */
int sessions_close(struct sessions *sessions, const char *id, struct error *error);

/* How many sessions are open; they may be over a moment later. */
int sessions_count(struct sessions *sessions);

/* ---- for service/workers.c, service/workers_thread.c */

/*
 * A request enters the session of its plan, which opens it if the plan says so. Returns the
 * session, borrowed, which exists until session_leave(). NULL: ERROR_INPUT if there is no such
 * session, or no more may be opened.
 */
struct session *sessions_enter(struct sessions *sessions, const struct plan *plan,
                               struct error *error);

/*
 * The request begins; no other one has begun and not ended. Returns what it runs in, borrowed until
 * session_end_request(). NULL: the session is over, which the error explains (ERROR_INPUT).
 */
struct run_session *session_begin_request(struct session *session, struct error *error);

/*
 * The request has ended, or could not begin, and the next one may. Ends the session if its run or
 * the plan says so, or if it is too old. If the session is over, and not by this plan, the result
 * then says why. If its container was warm, the result has the name that the keeper gives it.
 */
void session_end_request(struct session *session, const struct plan *plan, struct result *result);

/* The request is cleaned up, or never began. The session may be freed. */
void session_leave(struct session *session);

/* ---- the end */

/* Ends all sessions: their containers are removed as soon as no request uses them. */
void sessions_end(struct sessions *sessions);

/* Whether what sessions_end() began is complete. */
bool sessions_have_ended(struct sessions *sessions);

/* After that: frees everything. NULL is ignored. */
void sessions_free(struct sessions *sessions);

#endif

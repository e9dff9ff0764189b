/*
 * The part of a session that runs know: a container that serves several requests of one owner, one
 * after the other. If the plan has a session_command, each request is a cell of an interpreter that
 * stays (run/cell_run.h); otherwise it is a program of its own, which finds the files that those
 * before it left. Knows nothing of tables of sessions, of ids that are guessed, and of how long one
 * may be idle.
 *
 * How it works. The first request takes a warm instance or makes one, and leaves it to the session;
 * the next ones find it there. Between two requests the supervisor gets RESET, and an interpreter
 * that stays is stopped (supervisor/protocol.h). A request can end the session: its container has
 * ended or cannot be used any more, or the session has used up its CPU time or its output. Then
 * run_clean_up() of that request removes the container.
 *
 * The plans of its requests agree in everything that is settled when the instance is made
 * (request/session_terms.h).
 */
#ifndef RUN_RUN_SESSION_H
#define RUN_RUN_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/manifest.h"
#include "container/instance.h"
#include "network/terminator.h"
#include "run/result.h"

struct run;

/* Why a session is over whose container has ended. */
#define RUN_SESSION_CONTAINER_ENDED "its container ended"

/* What the sessions of the configuration allow to one of them. */
struct session_limits {
    long long end;                   /* clock_now_ms(); its container ends itself soon after that */
    double cpu_seconds;              /* of all its requests together */
    unsigned long long output_bytes; /* that they write to stdout and stderr, together */
};

/*
 * Belongs to one request at a time, while that is in run_execute(): no one else uses it then.
 * Between two requests its owner may read everything, ask run_session_lives(), and remove it.
 */
struct run_session {
    struct session_limits limits;
    bool keep_processes;
    struct instance *instance;   /* owned; NULL: none was made yet, or the session is over */
    bool interpreter;            /* it waits for the next cell */
    unsigned long long requests; /* whose program has begun */
    long long cpu_us;            /* used so far */
    unsigned long long output_bytes;
    size_t last_figure;    /* its number */
    struct manifest known; /* the files that were sent or returned, which are not new artifacts */
    struct manifest named; /* files that were written and named, but not returned */
    struct terminator *terminator; /* owned; NULL: none was needed yet */
    char *ended; /* owned; why the session is over: "its container ended"; NULL: it is not */
};

/* Makes a session that has no container yet. */
void run_session_init(struct run_session *session, const struct session_limits *limits,
                      bool keep_processes);

/* Frees everything but the container: call run_session_remove() before. */
void run_session_release(struct run_session *session);

/* Whether the session has a container that still runs. */
bool run_session_lives(const struct run_session *session);

/*
 * Removes the container, if there is one, until `end` at the latest, as instance_remove() does.
 * Call it when no request uses the session.
 */
int run_session_remove(struct run_session *session, long long end, struct error *error);

/* How long the session may last yet, in ms; at least 1. */
long long run_session_left_ms(const struct run_session *session);

/* ---- for the steps of a run that uses the session (run->session) */

/* Gives its instance, which it has, to the run. */
struct instance *run_session_take(struct run_session *session);

/* Before its programs. ERROR_INPUT if they cannot run while an interpreter waits. */
int run_session_begin(struct run *run, struct error *error);

/* What a program of the run gets because of the session. */
void run_session_set_program(const struct run *run, struct program_request *request);

/* These files were named, and are not again until they change. Sorted. */
void run_session_remember_named(struct run_session *session, const struct manifest *files);

/*
 * Why the session is over after a request with this result that has written so many bytes; owned;
 * NULL: it is not.
 */
char *run_session_why_used_up(const struct run_session *session, const struct result *result,
                              unsigned long long output_bytes);

/*
 * After the run: takes over its instance if another request can use it, and completes the session
 * part of the result, except for what its owner knows better. `used`: the run has found a
 * container. If session->ended is set then, no other request can use the session. If it is not and
 * there is no instance, no program has begun, and the next request is the first one.
 */
void run_session_take_run(struct run *run, bool used);

#endif

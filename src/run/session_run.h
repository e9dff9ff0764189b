/*
 * The part of a session that runs know: a container that serves several requests of one owner, one
 * after the other. If the plan has a session_command, each request is a cell of an interpreter that
 * stays; otherwise it is a program of its own, which finds the files that those before it left.
 * Knows nothing of tables of sessions, of ids that are guessed, and of how long one may be idle.
 *
 * How it works. The first request takes a warm instance or makes one, and leaves it to the session;
 * the next ones find it there. Between two requests the supervisor gets RESET, and an interpreter
 * that stays is stopped (supervisor/protocol.h). A request can end the session: its container has
 * ended or cannot be used any more, or the session has used up its CPU time or its output. Then
 * run_clean_up() of that request removes the container.
 */
#ifndef RUN_SESSION_RUN_H
#define RUN_SESSION_RUN_H

#include <stdbool.h>

#include "base/error.h"
#include "base/manifest.h"
#include "config/plan.h"
#include "config/request.h"
#include "run/instance.h"
#include "run/program_run.h"
#include "run/run_state.h"

/* Why a session is over whose container has ended. */
#define RUN_SESSION_CONTAINER_ENDED "its container ended"

/* What the sessions of the configuration allow to one of them. */
struct session_limits {
    long long end;                   /* clock_now_ms(); its container ends itself soon after that */
    double cpu_seconds;              /* of all its requests together */
    unsigned long long output_bytes; /* that they write to stdout and stderr, together */
};

/*
 * Belongs to one request at a time, while that is in run_execute_in_session(): no one else uses it
 * then. Between two requests its owner may read everything, ask run_session_lives(), and remove it.
 */
struct run_session {
    struct session_limits limits;
    bool keep_processes;
    struct instance *instance;   /* owned; NULL: none was made yet, or the session is over */
    char *image;                 /* owned; what the instance was made from */
    bool interpreter;            /* it waits for the next cell */
    unsigned long long requests; /* whose program has begun */
    long long cpu_us;            /* used so far */
    unsigned long long output_bytes;
    size_t last_figure;    /* its number */
    struct manifest known; /* the files that were sent or returned, which are not new artifacts */
    struct manifest named; /* files that were written and named, but not returned */
    char *ended; /* owned; why the session is over: "its container ended"; NULL: it is not */
};

/* How long the session may last yet, in ms; at least 1. */
long long run_session_left_ms(const struct run_session *session);

/* Makes a session that has no container yet. */
void run_session_init(struct run_session *session, const struct session_limits *limits,
                      bool keep_processes);

/* Frees everything but the container: call run_session_remove() before. */
void run_session_release(struct run_session *session);

/*
 * Takes the place of run_execute() for a plan with a session id. Uses the session's instance; for
 * the first request `warm`, which is taken over, or one that it makes (NULL). Only the first
 * request may have a warm one.
 *
 * The plan has to agree with the first one's in everything that is settled when the instance is
 * made (instance_fingerprint()), and in the limits of memory, CPUs and processes. The caller sees
 * to it, also if a request names none: the defaults are not always those of the first request.
 *
 * The result has a session part, complete except for what the caller knows better. If
 * session->ended is set afterwards, no other request can use the session. If it is not and there is
 * no instance, no program has begun, and the next request is the first one.
 */
void run_execute_in_session(struct run *run, struct run_session *session, struct instance *warm);

/*
 * For run/run.c: what a run of a session does before its programs, and a cell in place of them.
 * ERROR_INPUT if the program cannot run while an interpreter waits.
 */
int run_session_begin(struct run *run, struct error *error);
int run_session_cell(struct run *run, long long deadline, bool *begun, struct error *error);

/* For run/run_steps.c: these files were named, and are not again until they change. Sorted. */
void run_session_remember_named(struct run_session *session, const struct manifest *files);

/* For run/run_steps.c: sets what a program of the run gets because of the session. */
void run_session_set_program(const struct run *run, struct program_run *program);

/* Whether the session has a container that still runs. */
bool run_session_lives(const struct run_session *session);

/*
 * Removes the container, if there is one, until `end` at the latest, as instance_remove() does.
 * Call it when no request uses the session.
 */
int run_session_remove(struct run_session *session, long long end, struct error *error);

#endif

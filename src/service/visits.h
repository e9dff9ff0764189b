/*
 * Visits of workspaces by a process that runs many commands: the connection to a workspace is kept
 * from one to the next, until no command came for a while or another isolator waits for its turn.
 * A thread, the keeper, sees to that.
 *
 * Thread-safe.
 */
#ifndef SERVICE_VISITS_H
#define SERVICE_VISITS_H

#include "base/error.h"
#include "request/plan.h"
#include "run/run_state.h"

struct visits;
struct visit;

struct visits *visits_new(void);

/*
 * The command of the plan, which names a workspace, enters. Returns its visit, borrowed, which
 * exists until visit_leave(); commands with the same one must not run at once. NULL: ERROR_USAGE if
 * there is no such workspace any more, ERROR_SYSTEM.
 */
struct visit *visits_enter(struct visits *visits, const struct plan *plan, struct error *error);

/*
 * The run of the command has begun. Returns what to execute it in, borrowed until visit_end().
 * NULL: as workspace_visit_begin().
 */
struct run_session *visit_begin(struct visit *visit, struct run *run, struct error *error);

/* It was executed, which visit_begin() has allowed. */
void visit_end(struct visit *visit, struct run *run);

/* The command is cleaned up, or never began. */
void visit_leave(struct visit *visit);

/* Ends all visits, when all commands have left, and frees everything. NULL is ignored. */
void visits_free(struct visits *visits);

#endif

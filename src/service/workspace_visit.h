/*
 * A visit of a workspace by this process: its turn, which isolators of the user take one after the
 * other, and the connection to process 1. In a visit any number of commands run.
 *
 * The turn is a lock of the workspace's file (service/job_note.h), of the kind that belongs to an
 * open(2) and not to a process. A client that waited in the container instead would take from the
 * limits that the commands of others have there. Who waits has a second lock, by which who has the
 * turn sees that it is wanted. Neither is the lock of job_note_lock().
 */
#ifndef SERVICE_WORKSPACE_VISIT_H
#define SERVICE_WORKSPACE_VISIT_H

#include <stdbool.h>

#include "container/workspace_instance.h"
#include "run/run_session.h"
#include "run/run_state.h"
#include "service/job_note.h"

struct workspace_visit {
    const struct job_note *note; /* borrowed */
    bool has_turn;
    struct run_session session; /* with the connection, or without an instance */
};

/* What a visit needs to know of a workspace. Borrows from the arguments. */
struct workspace_place workspace_visit_place(const struct docker *docker,
                                             const struct job_note *note, const char *container);

/* Borrows the note until workspace_visit_release(). */
void workspace_visit_init(struct workspace_visit *visit, const struct job_note *note);

/*
 * Takes the turn and connects, as far as that is not done, for a run that has begun, whose time
 * starts then. -1: as workspace_instance_visit(); the turn is given up.
 */
int workspace_visit_begin(struct workspace_visit *visit, struct run *run, struct error *error);

/*
 * The run was executed in visit->session: its result says why the workspace has ended, if that was
 * why it failed. Without a connection the turn is given up.
 */
void workspace_visit_end(struct workspace_visit *visit, struct run *run);

/* Whether another isolator waits for the turn. */
bool workspace_visit_is_wanted(const struct workspace_visit *visit);

/* Disconnects, and gives the turn up. Another begin may follow. */
void workspace_visit_leave(struct workspace_visit *visit);

void workspace_visit_release(struct workspace_visit *visit);

#endif

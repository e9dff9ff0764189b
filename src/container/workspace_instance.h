/*
 * The instance of a workspace (service/workspaces.h): a container that goes on without isolator,
 * and whose supervisor takes one client after the other. An instance is one visit: a docker command
 * executes the supervisor's binary in the container, as its user 0, which no program is, and that
 * passes frames on ("Workspaces" in supervisor/protocol.h). When the visit ends, by whatever cause,
 * the supervisor ends what runs and waits for the next one.
 */
#ifndef CONTAINER_WORKSPACE_INSTANCE_H
#define CONTAINER_WORKSPACE_INSTANCE_H

#include "container/instance.h"

/* Another visit goes on. */
#define WORKSPACE_INSTANCE_IN_USE "the workspace is in use, and did not become free in time"

/* What is known of a workspace; all is borrowed. */
struct workspace_place {
    const struct docker *docker;
    const char *container, *image; /* the image that it was made from */
    const char *key;               /* JOB_KEY_SIZE; its first digits name the socket */
};

/* Adds the words by which the supervisor of a workspace starts, after its own. */
void workspace_instance_words(struct strvec *command, const char *key, long long ends,
                              long long idle_seconds);

/*
 * Begins a visit and waits until the supervisor is ready: until `deadline` (clock_now_ms()) at the
 * latest, since another visit may go on. Tries again for a moment if docker fails: no process can
 * be started in a container that is full of processes which are about to be killed. `limits` are
 * those that the container has. NULL: ERROR_INPUT if the workspace has ended or was made by another
 * version of isolator, which the error explains, or another visit did not end in time; ERROR_ENGINE; ERROR_CANCELLED. Freed with
 * instance_free() after instance_remove(), which leaves the container alone.
 */
struct instance *workspace_instance_visit(const struct workspace_place *place,
                                          const struct container_limits *limits, long long deadline,
                                          const struct notifier *cancel, struct error *error);

/*
 * A visit was cut off: sets ERROR_INPUT, which says why the workspace has ended. The engine may
 * learn of that in a moment. False: the workspace goes on, or nothing is known.
 */
bool workspace_instance_explain_end(const struct workspace_place *place,
                                    const struct notifier *cancel, struct error *error);

#endif

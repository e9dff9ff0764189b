/*
 * A container of isolator, whatever it is for. Its name and the labels that identify its owner are
 * chosen before it is created, so that it can be found and removed whatever happens.
 */
#ifndef CONTAINER_OWNED_CONTAINER_H
#define CONTAINER_OWNED_CONTAINER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "base/process.h"
#include "base/strvec.h"
#include "docker/container.h"
#include "docker/docker.h"
#include "request/plan.h"

enum { OWNED_CONTAINER_NAME_SIZE = 40 };

/* What a container serves. People see it in the name. */
enum container_purpose {
    PURPOSE_NONE,    /* none of ours, by its name */
    PURPOSE_RUN,     /* "isolator-" and random digits: a run, or what is waiting for one */
    PURPOSE_SESSION, /* "isolator-session-" and random digits */
    /* "isolator-job-", "isolator-workspace-": these outlive the isolator that made them */
    PURPOSE_JOB,
    PURPOSE_WORKSPACE
};

struct owned_container {
    const struct docker *docker; /* borrowed */
    char name[OWNED_CONTAINER_NAME_SIZE];
    struct strvec labels; /* owned */
    bool created;
    unsigned user; /* its uid, drawn for it and held until the release; 0: none */
    char *image;   /* the image it was created from; owned; NULL: not created */
    /* For a prepared image, which may be missing; owned. */
    char *base; /* the base image to use instead; NULL: the image is not a prepared one */
    char *language;
};

/*
 * Chooses the name, by the purpose of the plan, and the labels. `in_use_ms` is how long the
 * container will be in use at most. `plan` is what it will be created for; NULL: no plan.
 */
void owned_container_init(struct owned_container *container, const struct docker *docker,
                          const struct plan *plan, long long in_use_ms);

/* The same for one that outlives its owner, a job or a workspace. Its labels say whose it is. */
void owned_container_init_lasting(struct owned_container *container, const struct docker *docker,
                                  enum container_purpose purpose, const struct plan *plan,
                                  long long in_use_ms);

/* Call it when the container is gone: its user may become another's. */
void owned_container_release(struct owned_container *container);

/* Sets the image that it is created from, which is copied. */
void owned_container_set_image(struct owned_container *container, const char *image);

/* What a container of this name serves. */
enum container_purpose owned_container_purpose(const char *name);

/*
 * Gives a container that was warm, and serves a session now, the name of one that was made for it:
 * its labels cannot be changed. On failure it is not known which of the two names it has.
 */
int owned_container_show_session(struct owned_container *container, long long deadline,
                                 struct error *error);

/* The digits at the end of such a name, which are in it. */
const char *owned_container_digits(const char *name);

/* Whether a container of this name is one of a job or a workspace. */
bool owned_container_is_lasting(const char *name);

/* The name of the container of a job, or for this purpose, with these digits; owned by the caller.
 */
char *owned_container_job_name(const char *digits);
char *owned_container_name_for(enum container_purpose purpose, const char *digits);

/* The name that it gives, with the same digits; owned by the caller. */
char *owned_container_session_name(const struct owned_container *container);

/* The part of the limits that the engine enforces and can change while the container runs. */
struct container_limits owned_container_limits(const struct limits *limits);

/*
 * The part of the container spec that does not depend on how the supervisor gets into the
 * container. Borrows from both arguments.
 */
struct container_spec owned_container_spec(const struct owned_container *container,
                                           const struct plan *plan);

/*
 * Creates the container, with a user of its own if the spec says so. If that fails, no container
 * remains; `end` as in owned_container_remove().
 * If a prepared image is not on the engine, the container is made from its base image, and a
 * warning names the command that prepares it. What docker prints on success is added to `warnings`.
 * If it prints something, the engine is asked whether it enforces the limits. If it does not, that
 * is an error, unless docker->allow_unenforced is set.
 */
int owned_container_create(struct owned_container *container, const struct container_spec *spec,
                           long long deadline, long long end, const struct notifier *cancel,
                           struct strvec *warnings, struct error *error);

/*
 * The parts of owned_container_create(), for a container that is created and started by one command
 * (container_run()): before it, the user is drawn; after it, docker's warnings were added to those
 * that `warned` counts, and the container is accepted if the engine enforces its limits.
 */
int owned_container_draw_user(struct owned_container *container, struct container_spec *spec,
                              struct error *error);
int owned_container_accept(struct owned_container *container, const struct container_spec *spec,
                           long long deadline, const struct notifier *cancel, size_t warned,
                           struct strvec *warnings, struct error *error);

/*
 * Removes the container after the docker command that created it was killed. The engine may finish
 * the creation later, so this tries twice, and says so in a warning.
 */
void owned_container_undo(const struct owned_container *container, long long end,
                          struct strvec *warnings);

/*
 * The same if the engine does not answer, so that a removal would only take time: it is left to
 * docker->not_removed.
 */
void owned_container_leave(const struct owned_container *container, struct strvec *warnings);

/*
 * Removes the container, as container_remove() does, until `end` (clock_now_ms()) at the latest,
 * except for BUDGET_REMOVE_MIN in any case. 0: no end is set. The error says that the container may
 * still exist.
 */
int owned_container_remove(const struct owned_container *container,
                           const struct process_drain *drain, long long end, struct error *error);

/*
 * The warning that a program ran in the base image, since the language is not prepared; owned by
 * the caller.
 */
char *owned_container_unprepared(const char *language, const char *base);

/* Sets the ERROR_CANCELLED of a run whose program has not begun. Returns -1. */
int owned_container_set_cancelled(struct error *error);

/*
 * Sets the error of a run whose program has not begun, if it was cancelled or its deadline has
 * passed: then the error is `late`, followed by docker's message. Returns false for every other
 * event.
 */
bool owned_container_set_interrupted(enum process_event event, const char *late,
                                     const char *message, struct error *error);

#endif

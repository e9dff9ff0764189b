/*
 * A container of ours, whatever it is for. Its name and the labels that say whose it is are settled
 * before the engine hears of it, so that whatever happens it can be found and removed.
 */
#ifndef RUN_OWNED_CONTAINER_H
#define RUN_OWNED_CONTAINER_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "base/process.h"
#include "base/strvec.h"
#include "config/plan.h"
#include "docker/container.h"
#include "docker/docker.h"

enum { OWNED_CONTAINER_NAME_SIZE = 32 };

struct owned_container {
    const struct docker *docker; /* borrowed */
    char name[OWNED_CONTAINER_NAME_SIZE];
    struct strvec labels;
    bool created;
    const char *image; /* what it was created from; NULL: nothing yet; borrowed from the spec */
    /* If the image of the spec is a prepared one that is missing; borrowed from the plan: */
    const char *base; /* the image to create it from instead; NULL: none */
    const char *language;
};

/*
 * Names it "isolator-" and random digits; `in_use_ms` is how long it will be in use at most. `plan` is what
 * it will be created for; NULL: for no plan.
 */
void owned_container_init(struct owned_container *container, const struct docker *docker,
                          const struct plan *plan, long long in_use_ms);
void owned_container_release(struct owned_container *container);

/* Whether a container of this name may be one of ours. */
bool owned_container_is_name(const char *name);

/*
 * The spec of a container for the plan, as far as it is the same whether the program is supervised or not.
 * Borrows from both.
 */
struct container_spec owned_container_spec(const struct owned_container *container,
                                           const struct plan *plan);

/*
 * Creates the container; if that fails, makes sure that none is left: `end` as in
 * owned_container_remove(). If a prepared image is not on the engine, the container is made from its base
 * image, and a warning names the command that prepares it. Lines that docker printed although it succeeded
 * are added to `warnings`; if there is one, the engine is asked whether it enforces the limits. If it does
 * not, that is an error, unless docker->allow_unenforced.
 */
int owned_container_create(struct owned_container *container, const struct container_spec *spec,
                           long long deadline, long long end, const struct notifier *cancel,
                           struct strvec *warnings, struct error *error);

/*
 * Removes the container, as container_remove() does, till `end` (clock_now_ms()) at latest if that
 * leaves time enough; 0: no end is set. The error says that it may be left behind.
 */
int owned_container_remove(const struct owned_container *container,
                           const struct process_drain *drain, long long end, struct error *error);

/* Sets the ERROR_CANCELLED of a run whose program has not begun. Returns -1. */
int owned_container_cancelled(struct error *error);

/*
 * Sets the error of a run that was waiting for its program to begin when the event came: it is cancelled,
 * or too late, which `late` says, with docker's message behind it. False where the event is another.
 */
bool owned_container_interrupted(enum process_event event, const char *late, const char *message,
                                 struct error *error);

#endif

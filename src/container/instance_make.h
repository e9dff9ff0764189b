/*
 * The parts of instance_make(): a container is made once (container/instance_make.c), and again in
 * another way if the engine does not have what it was asked for (container/instance_retry.c).
 */
#ifndef CONTAINER_INSTANCE_MAKE_H
#define CONTAINER_INSTANCE_MAKE_H

#include <stdbool.h>

#include "container/instance.h"

/* Makes the instance in the way that its image needs. Everything as for instance_make(). */
int instance_make_once(struct instance *instance, const struct plan *plan, long long deadline,
                       long long end, const struct notifier *cancel, struct error *error);

/* Makes the instance, which could not be made, a new one, under another name and user. */
void instance_begin_again(struct instance *instance, const struct plan *plan,
                          enum delivery delivery);

/* Removes what could not be made or accepted; a warning says if that fails. */
void instance_remove_failed(struct instance *instance, long long end);

/*
 * Whether the container may have failed because no shell works: it ended without a word, or
 * wrote what the supervisor does not. An engine that has another reason says so without naming the
 * shell; then it could not start another container either.
 */
bool instance_shell_may_be_missing(struct instance *instance);

#endif

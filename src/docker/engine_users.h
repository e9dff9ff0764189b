/*
 * Which users the engine has: one that is rootless, or maps users to others, has only few.
 */
#ifndef DOCKER_ENGINE_USERS_H
#define DOCKER_ENGINE_USERS_H

#include <stdbool.h>

#include "base/notifier.h"
#include "docker/docker.h"

/*
 * Asks what the engine has, once and only after a container could not start: engines create
 * containers that they cannot start. The answer is remembered (docker/engine_memory.h).
 */
void engine_ask(const struct docker *docker, const struct notifier *cancel);

/* Whether the engine is known not to have this user: it is rootless, or maps users to others. */
bool engine_lacks_user(const struct docker *docker, unsigned user);

#endif

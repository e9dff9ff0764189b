/*
 * Why a docker command failed. The messages of docker are not stable between versions, so the
 * reason is found by asking further questions whose answer is an exit status.
 */
#ifndef DOCKER_EXPLAIN_H
#define DOCKER_EXPLAIN_H

#include "base/error.h"
#include "base/notifier.h"
#include "docker/docker.h"

/*
 * Sets the error of a command on `image` that failed with `message`: the image is missing
 * (ERROR_IMAGE, with the command that pulls it), the engine does not answer, or the message itself
 * (both ERROR_ENGINE). It asks the engine twice, for BUDGET_QUERY each, and sets ERROR_CANCELLED if
 * `cancel` (may be NULL) is raised before the answer. Returns -1.
 */
int docker_explain(const struct docker *docker, const char *image, const char *what,
                   const char *message, const struct notifier *cancel, struct error *error);

#endif

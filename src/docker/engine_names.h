/*
 * The names of the images and networks of the engine, for completion in shells.
 */
#ifndef DOCKER_ENGINE_NAMES_H
#define DOCKER_ENGINE_NAMES_H

#include "base/error.h"
#include "base/notifier.h"
#include "base/strvec.h"
#include "docker/docker.h"

enum engine_names {
    ENGINE_IMAGES, /* "repository:tag" of those that have both */
    ENGINE_NETWORKS,
};

/*
 * Adds the names, which are untrusted; of several thousands only the first. `deadline` is a
 * clock_now_ms(); `cancel` may be NULL.
 */
int engine_names_list(const struct docker *docker, enum engine_names kind, long long deadline,
                      const struct notifier *cancel, struct strvec *names, struct error *error);

#endif

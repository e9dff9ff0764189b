/*
 * What the engine has of images.
 */
#ifndef DOCKER_IMAGE_INSPECT_H
#define DOCKER_IMAGE_INSPECT_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "base/strvec.h"
#include "docker/docker.h"

struct image_facts {
    bool present;
    long long bytes;   /* -1: not known */
    long long created; /* seconds since 1970; -1: not known, or never told by who built it */
};

/*
 * Looks for each of the images; `facts` has as many places. One docker command does for all, but where one of them
 * is missing and another has a name that the engine writes in a way of its own. -1: the engine does not answer
 * before the deadline (clock_now_ms()), or the handle (which may be NULL) was raised.
 */
int image_inspect(const struct docker *docker, const struct strvec *references, long long deadline,
                  const struct notifier *cancel, struct image_facts *facts, struct error *error);

/*
 * Whether a name, tag or digest that the engine gives for an image ("docker.io/library/python:3") is what the
 * reference ("python:3") asks for: the usual registry and the tag "latest" may be left out.
 */
bool image_is_called(const char *reference, const char *name);

#endif

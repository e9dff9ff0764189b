/*
 * Commands on one image: inspect, tag, remove, pull. Check references and tags first
 * (docker/image.h). `cancel` may be NULL in all of them.
 */
#ifndef DOCKER_IMAGE_STORE_H
#define DOCKER_IMAGE_STORE_H

#include "base/error.h"
#include "base/notifier.h"
#include "docker/docker.h"
#include "docker/image_details.h"

/* Whether the engine has the image: 1, 0; -1 if it does not say. */
int image_store_has(const struct docker *docker, const char *image, const struct notifier *cancel,
                    struct error *error);

/*
 * The same, and what the engine says of the image: `details` must be empty, and is filled only if 1
 * is returned. The caller releases it.
 */
int image_store_details(const struct docker *docker, const char *image,
                        const struct notifier *cancel, struct image_details *details,
                        struct error *error);

/*
 * Appends the environment variables of the image, "NAME=VALUE". -1: the engine has no such image,
 * or does not say.
 */
int image_store_environment(const struct docker *docker, const char *image,
                            const struct notifier *cancel, struct strvec *environment,
                            struct error *error);

/* Adds a tag to an image. If another image had it, it loses it. */
int image_store_tag(const struct docker *docker, const char *image, const char *tag,
                    const struct notifier *cancel, struct error *error);

/*
 * Removes a tag, and with the last tag the image. ERROR_ENGINE if it is the last tag of an image
 * that a container uses.
 */
int image_store_remove(const struct docker *docker, const char *tag, const struct notifier *cancel,
                       struct error *error);

/*
 * Pulls the image from its registry, without a deadline. docker writes its progress to our stderr.
 * ERROR_IMAGE if it fails: the error has its last lines, and says how to do without a registry.
 * ERROR_ENGINE if the engine does not answer.
 */
int image_store_pull(const struct docker *docker, const char *image, const struct notifier *cancel,
                     struct error *error);

#endif

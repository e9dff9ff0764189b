/*
 * The images that the engine has: looked at, tagged, removed, pulled. References and tags must have been
 * checked (docker/image.h).
 *
 * `cancel` may be NULL in all of them.
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
 * The same, and what the engine says of the image: `details` must be empty, and is filled only if 1 is
 * returned. The caller releases it.
 */
int image_store_details(const struct docker *docker, const char *image,
                        const struct notifier *cancel, struct image_details *details,
                        struct error *error);

/* Gives an image one more tag, which another may have had before. */
int image_store_tag(const struct docker *docker, const char *image, const char *tag,
                    const struct notifier *cancel, struct error *error);

/*
 * Takes the tag away, and with the last one the image. ERROR_ENGINE where it is the last and a container uses
 * the image.
 */
int image_store_remove(const struct docker *docker, const char *tag, const struct notifier *cancel,
                       struct error *error);

/*
 * Fetches the image from its registry, however long that takes. What docker says of it, its progress on a
 * terminal, goes to our stderr as it comes. ERROR_IMAGE where that fails: docker has said why.
 */
int image_store_pull(const struct docker *docker, const char *image, const struct notifier *cancel,
                     struct error *error);

#endif

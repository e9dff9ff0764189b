/*
 * Which images the engine has in one repository, and whether containers use an image.
 */
#ifndef DOCKER_IMAGE_LIST_H
#define DOCKER_IMAGE_LIST_H

#include "base/error.h"
#include "base/notifier.h"
#include "base/strvec.h"
#include "docker/docker.h"

/*
 * Adds the ids of the images that have a tag in the repository, "sha256:" and 64 digits, each once,
 * the newest first; of several thousands only the newest. `cancel` may be NULL.
 */
int image_list(const struct docker *docker, const char *repository, const struct notifier *cancel,
               struct strvec *ids, struct error *error);

/*
 * Whether a container, running or not, was made of this image or of one that was built on it: 1, 0;
 * -1 if the engine does not say.
 */
int image_list_in_use(const struct docker *docker, const char *id, const struct notifier *cancel,
                      struct error *error);

#endif

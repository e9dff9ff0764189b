/*
 * Which languages can run on the engine: those whose image it has, or their prepared image. One
 * docker command answers for all of them, and one more for each that needs a version.
 */
#ifndef SERVICE_LANGUAGE_IMAGES_H
#define SERVICE_LANGUAGE_IMAGES_H

#include <stdbool.h>

#include "base/error.h"
#include "base/notifier.h"
#include "config/config.h"
#include "docker/docker.h"
#include "docker/image_inspect.h"

/* The images of a language. */
struct language_images {
    struct image_facts base;
    struct image_facts prepared; /* absent if the language has no steps */
    bool too_old;                /* the base image states a lower version than the language needs */
};

/*
 * Fills in the images of all languages, in the order of the configuration. -1: the engine did not
 * answer within BUDGET_QUERY, or `cancel` (may be NULL) was raised.
 */
int language_images_inspect(const struct docker *docker, const struct config *config,
                            const struct notifier *cancel, struct language_images *images,
                            struct error *error);

/* Whether programs in the language can run. */
bool language_images_suffice(const struct language_images *images);

#endif

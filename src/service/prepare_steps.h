/*
 * The containers of a preparation: one in which the steps run, and which becomes the image; one that lists the
 * packages. For service/prepare.c.
 */
#ifndef SERVICE_PREPARE_STEPS_H
#define SERVICE_PREPARE_STEPS_H

#include "base/error.h"
#include "base/strvec.h"
#include "config/config.h"
#include "docker/image_details.h"
#include "service/prepare_options.h"

/* The label that holds the id of the base image. */
#define PREPARE_LABEL_BASE_ID "isolator.prepared.base-id"

/* The network that the steps have; borrowed. */
const char *prepare_network(const struct prepare *prepare, const struct language *language);

/*
 * Runs the steps, and makes the image of that tag unless one has failed: *status is that of the last
 * which ran. `base` is the language's image. An engine that is interrupted while it makes the image may
 * finish it: then it is complete, and found the next time.
 */
int prepare_make_image(const struct prepare *prepare, const struct language *language,
                       const struct image_details *base, const char *tag, int *status,
                       struct error *error);

/*
 * Adds what listPackages prints in this image, as far as it is names that a model may be told, each once.
 * *status is that of the command; nothing is added where it is not 0.
 */
int prepare_list_packages(const struct prepare *prepare, const struct language *language,
                          const char *image, struct strvec *packages, int *status,
                          struct error *error);

#endif

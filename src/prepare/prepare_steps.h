/*
 * The containers of a preparation: one runs the steps and becomes the image, and one lists the
 * packages. For prepare/prepare.c.
 */
#ifndef PREPARE_PREPARE_STEPS_H
#define PREPARE_PREPARE_STEPS_H

#include "base/error.h"
#include "base/strvec.h"
#include "config/config.h"
#include "docker/image_details.h"
#include "prepare/prepare_files.h"
#include "prepare/prepare_options.h"

/*
 * Labels of a prepared image: its language, the name and the id of its base image, its steps, and
 * the tag by which runs find it.
 */
#define PREPARE_LABEL_LANGUAGE "isolator.prepared.language"
#define PREPARE_LABEL_BASE     "isolator.prepared.base"
#define PREPARE_LABEL_STEPS    "isolator.prepared.steps"
#define PREPARE_LABEL_TAG      "isolator.prepared.tag"
#define PREPARE_LABEL_BASE_ID  "isolator.prepared.base-id"

/* The label that holds the digest of the files; an image without files does not have it. */
#define PREPARE_LABEL_FILES "isolator.prepared.files"

/* The network of the steps; borrowed. */
const struct prepare_network *prepare_steps_network(const struct prepare *prepare,
                                                    const struct language *language);

/*
 * Runs the steps in the image `base`, with the files, and commits the container as `tag` unless a
 * step has failed. Sets *status to the exit status of the last step that ran. A connection of the
 * steps that is refused becomes a warning. If the engine completes the image after an interruption,
 * the next preparation finds it.
 */
int prepare_make_image(const struct prepare *prepare, const struct language *language,
                       const struct image_details *base, const struct prepare_files *files,
                       const char *tag, int *status, struct error *error);

/*
 * Runs the listPackages command of the language in the image, and adds the lines that are allowed
 * names of packages (prepare_is_package()), each once. Sets *status to the exit status of the
 * command; if it is not 0, nothing is added.
 */
int prepare_list_packages(const struct prepare *prepare, const struct language *language,
                          const char *image, struct strvec *packages, int *status,
                          struct error *error);

#endif

/*
 * Which of many images the engine has.
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
    long long created; /* seconds since 1970; -1: not known, or the image has no real time */
};

/*
 * Fills in the facts of each image; `facts` has as many members as `references`. It takes one
 * docker command, or one more for each image if one is missing and another has a name that the
 * engine writes in a way of its own. -1: the engine did not answer before the deadline
 * (clock_now_ms()), or `cancel` (may be NULL) was raised.
 */
int image_inspect(const struct docker *docker, const struct strvec *references, long long deadline,
                  const struct notifier *cancel, struct image_facts *facts, struct error *error);

/*
 * Whether the name, tag or digest that the engine gives for an image ("docker.io/library/python:3")
 * is the one of the reference ("python:3"), in which the default registry and the tag "latest" may
 * be left out.
 */
bool image_name_matches(const char *reference, const char *name);

/* Whether a line begins with a whole id. */
bool image_line_has_id(const char *line);

/*
 * Whether a line of words, the id and names of an image, is of the reference: one that matches, or
 * the id or at least 12 digits of its beginning.
 */
bool image_line_is_of(const char *line, const char *reference);

#endif

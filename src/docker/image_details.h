/*
 * What `docker image inspect` says of one image, as far as it is used here. Engines and API
 * versions leave out what is empty, so everything may be missing.
 */
#ifndef DOCKER_IMAGE_DETAILS_H
#define DOCKER_IMAGE_DETAILS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/strvec.h"

struct image_details {
    char *id;                 /* "sha256:" and 64 hexadecimal digits; NULL: not said */
    long long bytes;          /* -1: not said */
    char architecture[20];    /* "amd64"; "": not said */
    char created[20];         /* "2026-11-22T10:43:32"; "": not said */
    char *user;               /* "nobody:nogroup"; NULL: not set */
    struct strvec entrypoint; /* empty: not set */
    struct strvec command;    /* empty: not set */
    bool has_volumes;         /* it declares some */
    struct strvec tags;       /* "NAME:TAG" */
    struct strvec labels;     /* "KEY=VALUE" */
};

#define IMAGE_DETAILS_INIT                                                                         \
    {                                                                                              \
        .bytes = -1                                                                                \
    }

/*
 * Reads the JSON object of an image into `details`, which must be empty. False if it is none. The
 * caller releases `details` in both cases.
 */
bool image_details_read(struct image_details *details, const char *text, size_t length);

/* The value of a label, borrowed; NULL: the image has none of this key. */
const char *image_details_label(const struct image_details *details, const char *key);

void image_details_release(struct image_details *details);

#endif

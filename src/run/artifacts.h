/*
 * Artifacts: the files that a program created or changed in its working directory, as part of a
 * result. Their content is untrusted. Their names have been checked: they are relative paths
 * without '..', valid UTF-8 without control characters, and unique.
 */
#ifndef RUN_ARTIFACTS_H
#define RUN_ARTIFACTS_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/sha256.h"
#include "base/strvec.h"

struct artifact {
    char *name; /* owned */
    char *data; /* owned; any bytes */
    size_t length;
    char sha256[SHA256_HEX_SIZE];
    const char *mime_type; /* by its content, see base/mime.h; a constant */
    bool executable;
};

struct artifacts {
    struct artifact *items; /* owned; sorted by name after artifacts_sort() */
    size_t count;
    struct strvec missing; /* warnings: which artifacts are missing, and why; escaped */
};

#define ARTIFACTS_INIT                                                                             \
    {                                                                                              \
        NULL, 0, STRVEC_INIT                                                                       \
    }

/* Adds an artifact, which takes over the name and the data. */
void artifacts_add(struct artifacts *artifacts, char *name, char *data, size_t length,
                   bool executable);

bool artifacts_have(const struct artifacts *artifacts, const char *name);

/* The sum of their lengths, in bytes. */
size_t artifacts_size(const struct artifacts *artifacts);

void artifacts_sort(struct artifacts *artifacts);

/* Frees all but the first `max` artifacts, and adds to `missing` how many these are. */
void artifacts_limit(struct artifacts *artifacts, size_t max);

/* A new reference to [{"name", "bytes", "sha256", "mimeType"}, ...]. */
json_t *artifacts_to_json(const struct artifacts *artifacts);

void artifacts_release(struct artifacts *artifacts);

#endif

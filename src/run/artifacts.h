/*
 * Artifacts: the files that a program has made or changed in its working directory, as a result carries them.
 * What is in them, and what they are called, is a stranger's; what stands here has been checked:
 * names are relative paths without '..', valid UTF-8 without control characters, and stand there once.
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
    struct artifact *items; /* owned; in the order of their names */
    size_t count;
    struct strvec missing; /* for people: what is not there, and why; escaped */
};

#define ARTIFACTS_INIT                                                                             \
    {                                                                                              \
        NULL, 0, STRVEC_INIT                                                                       \
    }

/* Takes the name and the data over and fills in the rest. */
void artifacts_add(struct artifacts *artifacts, char *name, char *data, size_t length,
                   bool executable);

bool artifacts_have(const struct artifacts *artifacts, const char *name);

/* Bytes of all their contents. */
size_t artifacts_size(const struct artifacts *artifacts);

void artifacts_sort(struct artifacts *artifacts);

/* Keeps the first `most` of them, and says how many are missing since there is no room for more. */
void artifacts_limit(struct artifacts *artifacts, size_t most);

/* [{"name", "bytes", "sha256", "mimeType"}, ...], a new reference. */
json_t *artifacts_to_json(const struct artifacts *artifacts);

void artifacts_release(struct artifacts *artifacts);

#endif

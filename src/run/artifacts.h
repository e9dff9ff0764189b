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

#include "base/error.h"
#include "base/sha256.h"
#include "base/shared_file.h"
#include "base/strvec.h"

struct artifact {
    char *name; /* owned */
    char *data; /* owned; any bytes; NULL: they are in `range` */
    size_t length;
    struct file_range range; /* owned */
    char sha256[SHA256_HEX_SIZE];
    const char *mime_type; /* by its content, see base/mime.h; a constant */
    bool executable;
    bool saved; /* on the disk of this host, by cli/artifact_files.h */
};

struct artifacts {
    struct artifact *items; /* owned; sorted by name after artifacts_sort() */
    size_t count;
    struct strvec missing; /* warnings: which artifacts are missing, and why; escaped */
    bool incomplete;       /* `missing` is about files that are there, or may be */
    /* A file without a name, for the content of those that are not in memory; NULL: all are. */
    struct shared_file *file;
    long long file_length; /* bytes that are in use */
};

#define ARTIFACTS_INIT                                                                             \
    {                                                                                              \
        .items = NULL                                                                              \
    }

/* Adds an artifact, which takes over the name and the data. */
void artifacts_add(struct artifacts *artifacts, char *name, char *data, size_t length,
                   bool executable);

/*
 * Opens artifacts->file, unless it is open. The content of the next artifact is written there, from
 * artifacts->file_length on. ERROR_SYSTEM.
 */
int artifacts_open_file(struct artifacts *artifacts, struct error *error);

/*
 * Adds the artifact that was written to the file, `length` bytes with this digest. It takes over
 * the name. ERROR_SYSTEM if it cannot be read back; then the name is freed.
 */
int artifacts_add_written(struct artifacts *artifacts, char *name, long long length,
                          const char *sha256, bool executable, struct error *error);

/* Frees what is in the file beyond the artifacts. */
void artifacts_trim_file(struct artifacts *artifacts);

/* Copies bytes of the content. 0, or -1 with errno. */
int artifact_read(const struct artifact *artifact, size_t offset, void *data, size_t length);

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

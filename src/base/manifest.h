/*
 * A list of files with their lengths and digests. It remembers the content of an archive, so that
 * the archive need not be read back.
 */
#ifndef BASE_MANIFEST_H
#define BASE_MANIFEST_H

#include <stddef.h>

#include "base/sha256.h"

struct manifest_entry {
    char *name; /* owned */
    long long length;
    char sha256[SHA256_HEX_SIZE];
};

struct manifest {
    struct manifest_entry *items; /* owned; sorted by name after manifest_sort() */
    size_t count;
};

#define MANIFEST_INIT                                                                              \
    {                                                                                              \
        NULL, 0                                                                                    \
    }

/* Copies the name and the hexadecimal digest. */
void manifest_add(struct manifest *manifest, const char *name, long long length,
                  const char *sha256);

/* Call it once, after the last manifest_add() and before the first manifest_find(). */
void manifest_sort(struct manifest *manifest);

/*
 * Adds the entries of another sorted manifest to a sorted one; each replaces an entry of the same
 * name.
 */
void manifest_merge(struct manifest *manifest, const struct manifest *more);

/* The length of the longest file; 0 if there is none. */
long long manifest_longest(const struct manifest *manifest);

/* Returns the entry of this name, borrowed; NULL if there is none. */
const struct manifest_entry *manifest_find(const struct manifest *manifest, const char *name);

void manifest_release(struct manifest *manifest);

#endif

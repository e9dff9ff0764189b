#include "base/manifest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/strbuf.h"

void manifest_add(struct manifest *manifest, const char *name, long long length, const char *sha256)
{
    struct manifest_entry *entry;

    if ((manifest->count & (manifest->count - 1)) ==
        0) /* the capacity doubles at each power of two */
        manifest->items =
            memory_resize(manifest->items, (2 * manifest->count + 1) * sizeof *manifest->items);
    entry = &manifest->items[manifest->count++];
    *entry = (struct manifest_entry){.name = string_copy(name), .length = length};
    snprintf(entry->sha256, sizeof entry->sha256, "%s", sha256);
}

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct manifest_entry *)a)->name,
                  ((const struct manifest_entry *)b)->name);
}

void manifest_sort(struct manifest *manifest)
{
    if (manifest->count > 0)
        qsort(manifest->items, manifest->count, sizeof *manifest->items, compare);
}

void manifest_merge(struct manifest *manifest, const struct manifest *more)
{
    const size_t sorted = manifest->count;

    for (size_t i = 0; i < more->count; i++) {
        const struct manifest_entry *entry = &more->items[i];
        const struct manifest known = {manifest->items, sorted};
        struct manifest_entry *old = (struct manifest_entry *)manifest_find(&known, entry->name);

        if (!old) {
            manifest_add(manifest, entry->name, entry->length, entry->sha256);
        } else {
            old->length = entry->length;
            memcpy(old->sha256, entry->sha256, sizeof old->sha256);
        }
    }
    manifest_sort(manifest);
}

long long manifest_longest(const struct manifest *manifest)
{
    long long longest = 0;

    for (size_t i = 0; i < manifest->count; i++)
        if (manifest->items[i].length > longest)
            longest = manifest->items[i].length;
    return longest;
}

const struct manifest_entry *manifest_find(const struct manifest *manifest, const char *name)
{
    const struct manifest_entry wanted = {.name = (char *)name};

    if (manifest->count == 0)
        return NULL;
    return bsearch(&wanted, manifest->items, manifest->count, sizeof wanted, compare);
}

void manifest_release(struct manifest *manifest)
{
    for (size_t i = 0; i < manifest->count; i++)
        free(manifest->items[i].name);
    free(manifest->items);
    *manifest = (struct manifest)MANIFEST_INIT;
}

#include "run/artifacts.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/mime.h"

void artifacts_add(struct artifacts *artifacts, char *name, char *data, size_t length,
                   bool executable)
{
    struct artifact *artifact;

    artifacts->items =
        memory_resize(artifacts->items, (artifacts->count + 1) * sizeof *artifacts->items);
    artifact = &artifacts->items[artifacts->count++];
    *artifact = (struct artifact){.name = name,
                                  .data = data,
                                  .length = length,
                                  .mime_type = mime_type(name, data, length),
                                  .executable = executable};
    sha256_of(data, length, artifact->sha256);
}

bool artifacts_have(const struct artifacts *artifacts, const char *name)
{
    for (size_t i = 0; i < artifacts->count; i++)
        if (strcmp(artifacts->items[i].name, name) == 0)
            return true;
    return false;
}

size_t artifacts_size(const struct artifacts *artifacts)
{
    size_t size = 0;

    for (size_t i = 0; i < artifacts->count; i++)
        size += artifacts->items[i].length;
    return size;
}

static int compare_artifacts(const void *a, const void *b)
{
    return strcmp(((const struct artifact *)a)->name, ((const struct artifact *)b)->name);
}

void artifacts_sort(struct artifacts *artifacts)
{
    if (artifacts->count > 0)
        qsort(artifacts->items, artifacts->count, sizeof *artifacts->items, compare_artifacts);
}

static void release_artifact(struct artifact *artifact)
{
    free(artifact->name);
    free(artifact->data);
}

void artifacts_limit(struct artifacts *artifacts, size_t max)
{
    if (artifacts->count <= max)
        return;
    strvec_pushf(&artifacts->missing, "%zu more artifacts are omitted: there is room for %zu",
                 artifacts->count - max, max);
    while (artifacts->count > max)
        release_artifact(&artifacts->items[--artifacts->count]);
}

json_t *artifacts_to_json(const struct artifacts *artifacts)
{
    json_t *array = json_array();

    for (size_t i = 0; i < artifacts->count; i++) {
        const struct artifact *artifact = &artifacts->items[i];

        json_array_append_new(array, json_pack("{s:s, s:I, s:s, s:s}", "name", artifact->name,
                                               "bytes", (json_int_t)artifact->length, "sha256",
                                               artifact->sha256, "mimeType", artifact->mime_type));
    }
    return array;
}

void artifacts_release(struct artifacts *artifacts)
{
    for (size_t i = 0; i < artifacts->count; i++)
        release_artifact(&artifacts->items[i]);
    free(artifacts->items);
    strvec_release(&artifacts->missing);
    *artifacts = (struct artifacts)ARTIFACTS_INIT;
}

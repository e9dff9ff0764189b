#include "run/artifacts.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/mime.h"
#include "base/natural_order.h"
#include "base/text.h"

/* The type of an artifact that is not in memory is determined from so many of its first bytes. */
enum { TYPE_BYTES = 65536 };

static struct artifact *append(struct artifacts *artifacts)
{
    artifacts->items =
        memory_resize(artifacts->items, (artifacts->count + 1) * sizeof *artifacts->items);
    return &artifacts->items[artifacts->count++];
}

void artifacts_add(struct artifacts *artifacts, char *name, char *data, size_t length,
                   bool executable)
{
    struct artifact *artifact = append(artifacts);

    *artifact = (struct artifact){.name = name,
                                  .data = data,
                                  .length = length,
                                  .mime_type = mime_type(name, data, length),
                                  .executable = executable};
    sha256_of(data, length, artifact->sha256);
}

int artifacts_open_file(struct artifacts *artifacts, struct error *error)
{
    if (!artifacts->file)
        artifacts->file = shared_file_create(error);
    return artifacts->file ? 0 : -1;
}

int artifacts_add_written(struct artifacts *artifacts, char *name, long long length,
                          const char *sha256, bool executable, struct error *error)
{
    const size_t head = length < TYPE_BYTES ? (size_t)length : TYPE_BYTES;
    CLEANUP_FREE char *start = memory_allocate(head);
    struct artifact *artifact;

    if (shared_file_read(artifacts->file, artifacts->file_length, start, head) != 0) {
        free(name);
        return error_set_errno(error, ERROR_SYSTEM, "cannot read an unnamed file");
    }
    artifact = append(artifacts);
    *artifact = (struct artifact){
        .name = name,
        .length = (size_t)length,
        .range = {shared_file_share(artifacts->file), artifacts->file_length, length},
        .mime_type = mime_type(name, start, head - utf8_cut_tail(start, head)),
        .executable = executable};
    memcpy(artifact->sha256, sha256, SHA256_HEX_SIZE);
    artifacts->file_length += length;
    return 0;
}

void artifacts_trim_file(struct artifacts *artifacts)
{
    if (artifacts->file)
        shared_file_truncate(artifacts->file, artifacts->file_length);
}

int artifact_read(const struct artifact *artifact, size_t offset, void *data, size_t length)
{
    if (!artifact->data)
        return shared_file_read(artifact->range.file, artifact->range.offset + (long long)offset,
                                data, length);
    memcpy(data, artifact->data + offset, length);
    return 0;
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
    return natural_order(((const struct artifact *)a)->name, ((const struct artifact *)b)->name);
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
    shared_file_release(artifact->range.file);
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
    shared_file_release(artifacts->file);
    *artifacts = (struct artifacts)ARTIFACTS_INIT;
}

#include "cli/batch/batch_ids.h"

#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "base/memory.h"
#include "base/sha256.h"

/* A part of the digest: 128 bits, so that no one can make two ids that collide. */
enum { DIGEST = 16, CAPACITY_MIN = 64 };

struct batch_id {
    unsigned char digest[DIGEST];
    long long line; /* 0: the slot is free */
};

static int add_to_hash(const char *piece, size_t length, void *hash)
{
    sha256_update(hash, piece, length);
    return 0;
}

static void digest_of(const json_t *id, unsigned char digest[SHA256_SIZE])
{
    struct sha256 hash;

    sha256_init(&hash);
    json_dump_callback(id, add_to_hash, &hash,
                       json_text_flags(id) | JSON_ENCODE_ANY | JSON_SORT_KEYS);
    sha256_bytes(&hash, digest);
}

/* Returns the slot of the digest, or the free one where it belongs. */
static struct batch_id *slot_of(const struct batch_ids *ids, const unsigned char *digest)
{
    size_t at;

    memcpy(&at, digest, sizeof at);
    at &= ids->capacity - 1;
    while (ids->slots[at].line != 0 && memcmp(ids->slots[at].digest, digest, DIGEST) != 0)
        at = (at + 1) & (ids->capacity - 1);
    return &ids->slots[at];
}

/* Makes room for one more. At least a quarter of the slots stays free. */
static void grow(struct batch_ids *ids)
{
    const struct batch_ids old = *ids;

    if (ids->count < ids->capacity / 4 * 3)
        return;
    ids->capacity = old.capacity > 0 ? 2 * old.capacity : CAPACITY_MIN;
    ids->slots = memory_allocate(ids->capacity * sizeof *ids->slots);
    memset(ids->slots, 0, ids->capacity * sizeof *ids->slots);
    for (size_t i = 0; i < old.capacity; i++)
        if (old.slots[i].line != 0)
            *slot_of(ids, old.slots[i].digest) = old.slots[i];
    free(old.slots);
}

long long batch_ids_add(struct batch_ids *ids, const json_t *id, long long line)
{
    unsigned char digest[SHA256_SIZE];
    struct batch_id *slot;

    grow(ids);
    digest_of(id, digest);
    slot = slot_of(ids, digest);
    if (slot->line != 0)
        return slot->line;
    memcpy(slot->digest, digest, DIGEST);
    slot->line = line;
    ids->count++;
    return 0;
}

long long batch_ids_find(const struct batch_ids *ids, const json_t *id)
{
    unsigned char digest[SHA256_SIZE];

    if (ids->count == 0)
        return 0;
    digest_of(id, digest);
    return slot_of(ids, digest)->line;
}

void batch_ids_release(struct batch_ids *ids)
{
    free(ids->slots);
    *ids = (struct batch_ids)BATCH_IDS_INIT;
}

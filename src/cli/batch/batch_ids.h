/*
 * A set of the ids of requests, each with the number of its line. It holds digests of the ids, so
 * that each takes the same memory, at most 64 bytes, however long it is.
 */
#ifndef CLI_BATCH_IDS_H
#define CLI_BATCH_IDS_H

#include <jansson.h>
#include <stddef.h>

struct batch_ids {
    struct batch_id *slots; /* owned */
    size_t count, capacity;
};

#define BATCH_IDS_INIT                                                                             \
    {                                                                                              \
        NULL, 0, 0                                                                                 \
    }

/*
 * Adds an id, which may be any JSON value, with its line, which is at least 1. Returns 0, or the
 * line of the same id if it is there already; then the set does not change. Two ids are the same if
 * they print as the same text, apart from the order of members.
 */
long long batch_ids_add(struct batch_ids *ids, const json_t *id, long long line);

/* Returns the line of the id; 0: it is not there. */
long long batch_ids_find(const struct batch_ids *ids, const json_t *id);

void batch_ids_release(struct batch_ids *ids);

#endif
